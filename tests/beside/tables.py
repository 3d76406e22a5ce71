"""What every format of tables has to do beside Tidegate."""

from pathlib import Path
from typing import ClassVar

import pytest
from pyspark.sql import DataFrame

import tidegate
from beside.lakes import LAGGING, Lake
from beside.libraries import Library
from feeds import Feed, counts
from sparks import since
from statuses import watermark_of

ORDERS = [
    [("a", 1, "12:00:00"), ("b", 2, "11:50:00")],
    [("a", 3, "12:05:00"), ("b", 4, "11:55:00")],
    [("a", 8, "13:30:00"), ("b", 9, "13:30:00")],
]
DELIVERIES = [
    [("b", 2, "11:58:00")],
    [("a", 1, "12:30:00"), ("a", 3, "12:06:00"), ("b", 4, "12:04:00")],
    [("a", 8, "13:40:00"), ("b", 9, "13:40:00")],
]
"""Order 1 is delivered too late for the join."""

LATE = (
    "operator STRING, late_by_ms BIGINT, batch_id BIGINT, row STRUCT<id: BIGINT, time: TIMESTAMP>"
)
"""The columns of late rows that the test reads."""

CALLS = {
    "TUMBLE": ("INTERVAL 1 MINUTE", "1 minute", None),
    "HOP": ("INTERVAL 2 MINUTES, INTERVAL 1 MINUTE", "2 minutes", "1 minute"),
}


def windows_in_sql(call: str, rows: str) -> str:
    """Return a statement that counts the windows of a stream."""
    return f"""
        SELECT date_format(window_start, 'HH:mm'), count(*)
        FROM {call}(
          TABLE(SELECT * FROM IMPOSE_ORDER(
            TABLE({rows}), DESCRIPTOR(time), INTERVAL 0 SECONDS, substream => DESCRIPTOR(shop))),
          DESCRIPTOR(time), {CALLS[call][0]})
        GROUP BY window_start, window_end"""


class TableTests:
    """The tests of a format; a class below it says which one."""

    libraries: ClassVar[list[Library]]

    def test_stream_when_restarted_after_each_commit_then_windows_equal_a_batch(
        self, lake: Lake, feed: Feed
    ) -> None:
        events = lake.events()
        seen = []
        for rows in LAGGING:
            lake.append(events, rows)
            query, emitted = feed.run_query(counts(lake.keyed(events)))
            seen += emitted

        assert sorted(seen) == lake.windows(events)
        assert len(seen) == 6
        assert set(watermark_of(query, "time")["substreams"]) == {"a", "b"}

    @pytest.mark.parametrize("call", CALLS)
    def test_windows_in_sql_when_restarted_then_they_equal_a_batch(
        self, lake: Lake, feed: Feed, call: str
    ) -> None:
        events = lake.events(commits=2)
        lake.stream(events).createOrReplaceTempView("event_stream")
        statement = windows_in_sql(call, "event_stream")
        seen = feed.run(lake.spark.sql(statement))
        for rows in LAGGING[2:]:
            lake.append(events, rows)
            seen += feed.run(lake.spark.sql(statement))

        assert sorted(seen) == lake.windows(events, *CALLS[call][1:])

    @since(1, "STREAM in SQL")
    def test_stream_of_a_table_when_named_in_sql_then_windows_equal_a_batch(
        self, lake: Lake, feed: Feed
    ) -> None:
        events = lake.events(commits=4)

        seen = feed.run(lake.spark.sql(windows_in_sql("TUMBLE", f"STREAM {events}")))

        assert sorted(seen) == lake.windows(events)

    def test_join_of_two_tables_when_restarted_then_it_equals_a_batch(
        self, lake: Lake, feed: Feed
    ) -> None:
        orders = lake.create("orders", "shop STRING, id BIGINT, order_time TIMESTAMP")
        deliveries = lake.create("deliveries", "shop STRING, id BIGINT, delivery_time TIMESTAMP")
        seen = []
        for ordered, delivered in zip(ORDERS, DELIVERIES, strict=True):
            lake.append(orders, ordered)
            lake.append(deliveries, delivered)
            left = lake.keyed(orders, "order_time").drop("shop")
            right = lake.keyed(deliveries, "delivery_time", 1).drop("shop")
            between = ("delivery_time", "order_time", "0 seconds", "10 minutes")
            joined = tidegate.streamJoin(left, right, "id", "leftOuter", between)
            seen += feed.run(joined.select("id", "order_time", "delivery_time"))

        batch = lake.spark.sql(f"""
            SELECT o.id, order_time, delivery_time FROM {orders} o LEFT JOIN {deliveries} d
            ON o.id = d.id
              AND delivery_time BETWEEN order_time AND order_time + INTERVAL 10 MINUTES""")
        assert sorted(seen) == sorted(tuple(row) for row in batch.collect())
        assert [row[0] for row in seen if row[2] is None] == [1]

    def test_table_when_windows_are_written_and_restarted_then_it_equals_a_batch(
        self, lake: Lake
    ) -> None:
        events = lake.events()
        written = lake.create("written", "minute STRING, n BIGINT")
        for rows in LAGGING:
            lake.append(events, rows)
            lake.write(counts(lake.keyed(events)).toDF("minute", "n"), written)

        assert lake.rows(f"SELECT * FROM {written}") == lake.windows(events)

    def test_late_rows_when_streamed_into_a_table_then_each_is_there_once(
        self, lake: Lake, feed: Feed, tmp_path: Path
    ) -> None:
        late = str(tmp_path / "late")
        table = lake.create("late", "operator STRING, late_by_ms BIGINT, id BIGINT, time TIMESTAMP")
        feed.add(("12:00:10", 0), ("12:10:00", 1))
        feed.add(("12:30:00", 0), ("12:30:00", 1))
        # A stream of late rows that begins before there is one, and goes on after each restart.
        for rows in ([], [("11:00:00", 0)], [("11:05:00", 0), ("11:05:00", 0)], []):
            if rows:
                feed.add(*rows)
            keyed = feed.stream().withKeyedWatermark("time", "0 seconds", lateRows=late)
            feed.run(counts(keyed))
            stream = lake.spark.readStream.schema(LATE).parquet(late)
            lake.write(stream.select("operator", "late_by_ms", "row.id", "row.time"), table)

        found = lake.rows(f"SELECT operator, late_by_ms, id, hour(time), minute(time) FROM {table}")
        assert found == [
            ("aggregate", 5100000, 0, 11, 5),
            ("aggregate", 5100000, 1, 11, 5),
            ("aggregate", 5400000, 0, 11, 0),
        ]

    def test_merge_when_in_every_batch_then_the_table_has_the_newest_counts(
        self, lake: Lake
    ) -> None:
        events = lake.events()
        totals = lake.create("totals", "minute STRING, n BIGINT")

        def upsert(batch: DataFrame, _: int) -> None:
            batch.createOrReplaceTempView("changes")
            batch.sparkSession.sql(f"""
                MERGE INTO {totals} t USING changes c ON t.minute = c.minute
                WHEN MATCHED THEN UPDATE SET n = c.n WHEN NOT MATCHED THEN INSERT *""")

        # The first of these adds to a window that has a count already.
        for rows in [LAGGING[0], [("a", 0, "12:00:50")], *LAGGING[1:]]:
            lake.append(events, rows)
            query = (
                counts(lake.keyed(events))
                .toDF("minute", "n")
                .writeStream.foreachBatch(upsert)
                .outputMode("update")
                .option("checkpointLocation", str(lake.folder / "checkpoint-of-merges"))
                .trigger(availableNow=True)
                .start()
            )
            try:
                assert query.awaitTermination(120), "the query did not end"
            finally:
                query.stop()
        # As after a query that writes: see `Lake.write`.
        lake.spark.catalog.refreshTable(totals)

        complete = lake.rows(f"SELECT * FROM {totals} WHERE minute < '13:00'")
        assert complete == lake.windows(events)
        assert ("12:00", 2) in complete

    def test_merge_when_its_source_is_a_table_function_then_it_equals_a_batch(
        self, lake: Lake
    ) -> None:
        events = lake.events(commits=3)
        totals = lake.create("totals", "minute STRING, n BIGINT")
        lake.spark.sql(f"INSERT INTO {totals} VALUES ('12:00', 100)")
        lake.spark.sql(f"""
            MERGE INTO {totals} t USING (
              SELECT date_format(window_start, 'HH:mm') AS minute, count(*) AS n
              FROM TUMBLE(TABLE({events}), DESCRIPTOR(time), INTERVAL 1 MINUTE)
              GROUP BY window_start, window_end
            ) c ON t.minute = c.minute
            WHEN MATCHED THEN UPDATE SET n = c.n WHEN NOT MATCHED THEN INSERT *""")

        assert lake.rows(f"SELECT * FROM {totals}") == lake.windows(events)
