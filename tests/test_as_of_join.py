"""`asOfJoin` and `FOR SYSTEM_TIME AS OF`, as a user calls them."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from feeds import Feed

WANTED = [("12:00:03", None), ("12:00:07", "12:00:05"), ("12:00:12", "12:00:05")]


def rows(of: DataFrame) -> DataFrame:
    return tidegate.withKeyedWatermark(of, "time", "5 seconds", name="rows")


def versions(of: DataFrame) -> DataFrame:
    """Return the rows of each fifth second."""
    since = of.withColumnRenamed("time", "since").where("second(since) % 5 = 0")
    return since.withKeyedWatermark("since", "5 seconds", name="versions")


def add_all(feed: Feed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 1), ("12:00:05", 1), ("12:00:12", 1))
    feed.add(("12:01:00", 1))


def shown(joined: DataFrame) -> DataFrame:
    texts = [F.date_format(name, "HH:mm:ss").alias(name) for name in ("time", "since")]
    return joined.where("second(time) IN (3, 7, 12)").select(*texts)


def test_as_of_join_when_the_right_watermark_passes_then_each_row_leaves_once(feed: Feed) -> None:
    add_all(feed)

    joined = rows(feed.stream()).asOfJoin(
        versions(feed.stream()), on="partition", leftTime="time", rightTime="since", how="left"
    )

    assert sorted(feed.run(shown(joined))) == WANTED


def test_as_of_join_when_of_tables_then_the_rows_are_the_same(feed: Feed) -> None:
    add_all(feed)
    left, right = feed.batch(), feed.batch().withColumnRenamed("time", "since")
    right = right.where("second(since) % 5 = 0")

    joined = tidegate.asOfJoin(left, right, left.partition == right.partition, how="left")

    assert sorted(tuple(row) for row in shown(joined).collect()) == WANTED


def test_as_of_join_when_it_has_a_tolerance_then_older_versions_are_none(feed: Feed) -> None:
    add_all(feed)

    joined = rows(feed.stream()).asOfJoin(
        versions(feed.stream()), "partition", how="left", tolerance="3 seconds"
    )

    assert sorted(feed.run(shown(joined))) == [*WANTED[:2], ("12:00:12", None)]


def test_system_time_when_of_a_column_then_is_the_same_join(
    feed: Feed, spark: SparkSession
) -> None:
    add_all(feed)
    rows(feed.stream()).createOrReplaceTempView("asof_rows")
    versions(feed.stream()).createOrReplaceTempView("asof_versions")

    joined = spark.sql(
        "SELECT * FROM asof_rows r LEFT JOIN asof_versions FOR SYSTEM_TIME AS OF r.time AS v "
        "ON r.partition = v.partition"
    )

    assert sorted(feed.run(shown(joined))) == WANTED


def test_as_of_join_when_a_side_has_no_watermark_then_says_so(feed: Feed) -> None:
    with pytest.raises(AnalysisException) as refused:
        rows(feed.stream()).asOfJoin(feed.stream(), "partition", rightTime="time")

    assert str(refused.value) == (
        "[TIDEGATE_AS_OF_NOT_KEYED] The time column `time` of the right side of an as-of join of "
        "streams has no watermark key, so that no row would ever be decided. Call "
        "withKeyedWatermark on it before the join. SQLSTATE: 42K0E"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (
            {"leftTime": 3},
            TypeError,
            "leftTime must be the name of a column (a str), found int: 3.",
        ),
        (
            {"tolerance": 3},
            TypeError,
            "tolerance must be a Spark interval string such as '5 seconds' or a "
            "datetime.timedelta, found int: 3.",
        ),
        (
            {"how": None},
            TypeError,
            "how must be a type of join, 'inner' or 'left' (a str), found NoneType: None.",
        ),
    ],
)
def test_as_of_join_when_an_argument_cannot_be_then_says_so(
    feed: Feed, arguments: dict[str, object], error: type[Exception], sentence: str
) -> None:
    known = {"on": "partition"} | arguments

    with pytest.raises(error) as refused:
        tidegate.asOfJoin(feed.batch(), feed.batch(), **known)  # type: ignore[arg-type]

    assert str(refused.value) == sentence
