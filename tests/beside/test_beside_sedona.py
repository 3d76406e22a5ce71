"""Sedona beside Tidegate: its functions, joins and aggregates over keyed watermarks."""

from collections.abc import Iterator
from typing import ClassVar

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from beside.libraries import SEDONA, Library
from feeds import Feed

BATCHES = [
    [("12:00:10", 0), ("12:00:20", 7), ("11:50:10", 1)],
    [("12:01:10", 0), ("12:01:50", 0), ("11:51:10", 1)],
    [("12:02:10", 7), ("11:52:10", 1)],
    [("13:30:00", 0), ("13:30:00", 1), ("13:30:00", 7)],
]
"""Times of day, and a partition. Partition 1 is ten minutes behind."""

CLOSED = "time < '2026-01-01 13:00:00'"


@pytest.fixture(autouse=True)
def regions(spark: SparkSession) -> Iterator[None]:
    """Make a view of two regions: points whose second coordinate is below 4, and above."""
    spark.sql("""
        CREATE OR REPLACE TEMPORARY VIEW regions AS SELECT name, ST_GeomFromWKT(wkt) AS shape
        FROM VALUES ('south', 'POLYGON((-1 -1, 9 -1, 9 4, -1 4, -1 -1))'),
                    ('north', 'POLYGON((-1 4, 9 4, 9 9, -1 9, -1 4))') AS v(name, wkt)""")
    yield
    spark.catalog.dropTempView("regions")


def stream(feed: Feed) -> DataFrame:
    """Read the points with a keyed watermark."""
    return tidegate.withKeyedWatermark(feed.stream(), "time", "0 seconds", substream="partition")


def by_batch(feed: Feed, statement: str) -> list[tuple[object, ...]]:
    """Run a statement over all complete rows as a batch."""
    feed.batch().where(CLOSED).createOrReplaceTempView("points_of_batch")
    return sorted(tuple(row) for row in feed.spark.sql(statement).collect())


class TestSedona:
    """With the extensions of Sedona and of Tidegate."""

    libraries: ClassVar[list[Library]] = [SEDONA]

    def test_join_by_place_when_counted_and_restarted_then_it_equals_a_batch(
        self, feed: Feed
    ) -> None:
        seen = []
        for rows in BATCHES:
            feed.add(*rows)
            stream(feed).createOrReplaceTempView("points")
            seen += feed.run(
                feed.spark.sql("""
                    SELECT date_format(window_start, 'HH:mm'), name, count(*)
                    FROM TUMBLE(
                      TABLE(SELECT p.time, r.name FROM points p JOIN regions r
                            ON ST_Contains(r.shape, ST_Point(p.id, p.partition))),
                      DESCRIPTOR(time), INTERVAL 1 MINUTE)
                    GROUP BY window_start, window_end, name""")
            )

        # Without Sedona, and without Tidegate.
        assert sorted(seen) == by_batch(
            feed,
            """
            SELECT date_format(window.start, 'HH:mm'), name, count(*) FROM (
              SELECT window(time, '1 minute') AS window,
                if(partition < 4, 'south', 'north') AS name FROM points_of_batch)
            GROUP BY window, name""",
        )
        assert len(seen) == 7

    @pytest.mark.parametrize(
        ("call", "sizes"),
        [
            ("TUMBLE(TABLE(points), DESCRIPTOR(time), INTERVAL 2 MINUTES)", "'2 minutes'"),
            (
                "HOP(TABLE(points), DESCRIPTOR(time), INTERVAL 2 MINUTES, INTERVAL 1 MINUTE)",
                "'2 minutes', '1 minute'",
            ),
        ],
        ids=["TUMBLE", "HOP"],
    )
    def test_aggregate_of_points_when_in_windows_then_it_equals_a_batch(
        self, feed: Feed, call: str, sizes: str
    ) -> None:
        area = "ST_AsText(ST_Envelope_Aggr(ST_Point(id, partition)))"
        seen = []
        for rows in BATCHES:
            feed.add(*rows)
            stream(feed).createOrReplaceTempView("points")
            seen += feed.run(
                feed.spark.sql(f"""
                    SELECT date_format(window_start, 'HH:mm'), {area}
                    FROM {call} GROUP BY window_start, window_end""")
            )

        assert sorted(seen) == by_batch(
            feed,
            f"""
            SELECT date_format(window.start, 'HH:mm'), {area} FROM (
              SELECT window(time, {sizes}) AS window, * FROM points_of_batch)
            GROUP BY window""",
        )

    def test_places_in_methods_when_beside_tidegate_then_they_are_known(self, feed: Feed) -> None:
        for rows in BATCHES:
            feed.add(*rows)
        far = F.expr("ST_Distance(ST_Point(id, partition), ST_Point(0, 0))").alias("far")
        ordered = stream(feed).select("time", far).where("far > 4")

        seen = feed.run(ordered.groupBy(F.window("time", "1 minute")).agg(F.max("far")))

        assert sorted(row[1] for row in seen) == pytest.approx([7.0, 50**0.5])

    def test_commands_of_sedona_when_beside_tidegate_then_they_work(
        self, spark: SparkSession
    ) -> None:
        spark.sql("CREATE TABLE places (name STRING, shape GEOMETRY) USING parquet")
        try:
            spark.sql("INSERT INTO places SELECT name, shape FROM regions WHERE name = 'south'")
            rows = spark.sql("SELECT name, ST_Area(shape) FROM places").collect()
            assert [tuple(row) for row in rows] == [("south", 50.0)]
        finally:
            spark.sql("DROP TABLE places")
