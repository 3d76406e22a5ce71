"""The table functions of SQL: on a stream, on a table, and against Spark's own windows."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from feeds import Feed

ORDERED = "impose_order(t, descriptor(time), 30 seconds, substream => 'partition')"


@pytest.fixture
def rows(feed: Feed) -> Feed:
    """Return a feed whose rows are out of order; the last file closes the windows before it."""
    feed.add(("12:00:10", 0), ("12:00:40", 1), ("12:01:05", 0))
    feed.add(("12:00:55", 1), ("12:02:10", 0), ("12:01:59", 1))
    feed.add(("12:04:00", 0), ("12:02:31", 1), ("12:03:45", 0))
    feed.add(("13:00:00", 0), ("13:00:00", 1))
    return feed


@pytest.fixture
def on_stream(rows: Feed) -> Callable[[str], list[tuple[Any, ...]]]:
    """Return a function that runs a query with the feed as the stream `t`."""

    def run(query: str) -> list[tuple[Any, ...]]:
        rows.stream().createOrReplaceTempView("t")
        return sorted(rows.run(rows.spark.sql(query)))

    return run


@pytest.fixture
def on_table(rows: Feed) -> Callable[[str], list[tuple[Any, ...]]]:
    """Return a function that runs a query with the feed as the table `t`; open windows stay out."""

    def run(query: str) -> list[tuple[Any, ...]]:
        rows.batch().createOrReplaceTempView("t")
        closed = rows.spark.sql(query).where("window_end < '2026-01-01 12:59:00'")
        return sorted(tuple(row) for row in closed.collect())

    return run


def counts(function: str) -> str:
    """Count the rows of each window of a function."""
    return f"SELECT window_start, window_end, count(*) FROM {function} GROUP BY 1, 2"


def spark_counts(window: str, name: str = "window") -> str:
    """Count the rows of each window of Spark's."""
    return (
        f"SELECT {name}.start AS window_start, {name}.end AS window_end, count(*) FROM t "
        f"GROUP BY {window}"
    )


GROWING = " UNION ALL ".join(
    f"SELECT w.start AS window_start, w.start + INTERVAL {size} SECONDS AS window_end, count(*) "
    "FROM (SELECT time, window(time, '2 minutes') AS w FROM t) "
    f"WHERE time < w.start + INTERVAL {size} SECONDS GROUP BY w.start"
    for size in (30, 60, 90, 120)
)


@pytest.mark.parametrize(
    ("function", "of_spark"),
    [
        pytest.param(
            f"tumble({ORDERED}, descriptor(time), 1 minute, offset => -10 seconds)",
            spark_counts("window(time, '1 minute', '1 minute', '50 seconds')"),
            id="tumble",
        ),
        pytest.param(
            f"hop({ORDERED}, descriptor(time), 2 minutes, 30 seconds)",
            spark_counts("window(time, '2 minutes', '30 seconds')"),
            id="hop",
        ),
        pytest.param(
            f"cumulate({ORDERED}, descriptor(time), 30 seconds, 2 minutes)", GROWING, id="cumulate"
        ),
        pytest.param(
            f"session({ORDERED}, descriptor(time), 31 seconds)",
            spark_counts("session_window(time, '31 seconds')", "session_window"),
            id="session",
        ),
    ],
)
def test_stream_table_and_spark_agree(
    on_stream: Callable[[str], list[tuple[Any, ...]]],
    on_table: Callable[[str], list[tuple[Any, ...]]],
    function: str,
    of_spark: str,
) -> None:
    on_spark = on_table(of_spark)
    assert len(on_spark) >= 3
    assert on_table(counts(function)) == on_spark
    assert on_stream(counts(function)) == on_spark


def test_sessions_of_a_key(
    on_stream: Callable[[str], list[tuple[Any, ...]]],
    on_table: Callable[[str], list[tuple[Any, ...]]],
) -> None:
    query = (
        "SELECT window_start, window_end, partition, count(*) "
        f"FROM session({ORDERED} PARTITION BY partition, descriptor(time), 1 minute) GROUP BY ALL"
    )
    of_spark = (
        "SELECT session_window.start, session_window.end AS window_end, partition, count(*) FROM t "
        "GROUP BY session_window(time, '1 minute'), partition"
    )
    assert on_stream(query) == on_table(query) == on_table(of_spark)


def test_without_an_aggregate_rows_pass_at_once(
    rows: Feed, on_stream: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    query = (
        "SELECT time, window_start, window_end, window_time "
        f"FROM hop({ORDERED}, descriptor(time), 2 minutes, 1 minute)"
    )
    streamed = on_stream(query)
    assert len(streamed) == 2 * rows.batch().count()
    assert streamed[0] == (
        datetime(2026, 1, 1, 12, 0, 10),
        datetime(2026, 1, 1, 11, 59),
        datetime(2026, 1, 1, 12, 1),
        datetime(2026, 1, 1, 12, 0, 59, 999000),
    )


def test_the_statement_of_the_design(rows: Feed) -> None:
    """Time columns with a key each: the window's decides, also with the other one as a key."""
    rows.stream().selectExpr("*", "time AS time1", "time AS time2").createOrReplaceTempView("raw")
    rows.spark.sql("""
        CREATE OR REPLACE TEMPORARY VIEW my_stream AS
        SELECT * FROM impose_order(
          impose_order(raw, descriptor(time1), 30 seconds, substream => 'partition'),
          descriptor(time2), 1 hour, 1)""")
    counted = rows.spark.sql(
        "select window_start, window_end, time2, count(*) "
        "from tumble(my_stream, descriptor(time1), 5 seconds) group by 1, 2, 3"
    )
    assert len(rows.run(counted)) == 9


SPELLINGS = [
    "tumble(TABLE(t), DESCRIPTOR(time), INTERVAL '1' MINUTE)",
    "TUMBLE(TABLE t, DESCRIPTOR(time), INTERVAL 60 SECONDS)",
    "Tumble(t, Descriptor(time), '60 seconds')",
    "tumble(t, descriptor(time), 1 minute)",
    "TABLE(tumble(t, descriptor(time), 1 minute))",
    "TABLE( tumble(TABLE t, descriptor(time), 30 seconds 30 seconds) )",
    "tumble(TABLE(SELECT * FROM t), descriptor(time), 1 minute)",
    "tumble((TABLE t), descriptor(time), 1 minute)",
    "tumble(data => t, timecol => descriptor(time), size => 1 minute)",
    "tumble(INPUT => (TABLE t), TIME_COL => descriptor(`time`), WINDOW_SIZE => '1 minute')",
    "tumble(size => 1 minute, timecol => descriptor(t.time), data => TABLE(t))",
    "tumble(t, descriptor(time) -- a comment, with tumble(\n, /* 1 hour */ 1 minute)",
    "hop(t, descriptor(time), 1 minute, 1 minute)",
    "hop(data => t, timecol => descriptor(time), slide_by => 1 minute, window_size => 1 minute)",
    "cumulate(t, descriptor(time), step => 1 minute, max_size => 1 minute)",
    "tumble(t, descriptor(time), 1 minute, 1 hour)",
    "tumble(impose_order(t, descriptor(time), 5 seconds), descriptor(time), 1 minute)",
]


@pytest.mark.parametrize("call", SPELLINGS)
def test_spellings(on_table: Callable[[str], list[tuple[Any, ...]]], call: str) -> None:
    assert on_table(counts(call)) == on_table(spark_counts("window(time, '1 minute')"))


def window(spark: SparkSession, value: str, arguments: str) -> tuple[Any, ...]:
    """Return the type of the window and its three columns as text."""
    found: DataFrame = spark.sql(
        "SELECT typeof(window_start), string(window_start), string(window_end), "
        f"string(window_time) FROM tumble(TABLE(VALUES ({value}) AS v(x)), descriptor(x), "
        f"{arguments})"
    )
    return tuple(found.collect()[0])


def test_types_offsets_and_times_before_1970(spark: SparkSession) -> None:
    assert window(spark, "TIMESTAMP_NTZ '1969-12-31 23:59:59.5'", "400 milliseconds") == (
        "timestamp_ntz",
        "1969-12-31 23:59:59.2",
        "1969-12-31 23:59:59.6",
        "1969-12-31 23:59:59.599",
    )
    assert window(spark, "TIMESTAMP '1969-12-31 23:59:59.9999'", "1 millisecond")[1:] == (
        "1969-12-31 23:59:59.999",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999",
    )
    assert window(spark, "TIMESTAMP '2026-01-01 12:00:01'", "10 seconds, -2 seconds")[1:3] == (
        "2026-01-01 11:59:58",
        "2026-01-01 12:00:08",
    )
    assert window(spark, "TIMESTAMP '2026-01-01 12:00:01'", "1 day, 8 hours")[1:3] == (
        "2026-01-01 08:00:00",
        "2026-01-02 08:00:00",
    )
    assert window(spark, "TIMESTAMP '2026-01-01 12:00:01'", "36500 days")[1:3] == (
        "1970-01-01 00:00:00",
        "2069-12-07 00:00:00",
    )


def test_the_time_zone_does_not_change_the_windows(spark: SparkSession) -> None:
    seconds = (
        "SELECT unix_seconds(window_start) FROM tumble(TABLE(VALUES "
        "(timestamp_seconds(1767268801)) "
        "AS v(x)), descriptor(x), 1 day)"
    )
    for zone in ("Asia/Kolkata", "America/New_York", "UTC"):
        spark.conf.set("spark.sql.session.timeZone", zone)
        assert spark.sql(seconds).collect()[0][0] == 1767225600


def test_a_row_without_a_time_is_in_no_window(spark: SparkSession) -> None:
    windows = spark.sql(
        "SELECT * FROM tumble(TABLE(VALUES (CAST(NULL AS TIMESTAMP)) AS v(x)), descriptor(x), 1 "
        "day)"
    )
    assert windows.collect() == []


def test_an_outer_window_hides_the_columns_of_the_inner_one(spark: SparkSession) -> None:
    columns = spark.sql(
        "SELECT * FROM tumble(tumble(TABLE(VALUES (TIMESTAMP '2026-01-01 12:00:01') AS v(x)), "
        "descriptor(x), 10 seconds), descriptor(window_time), 1 minute)"
    ).columns
    assert columns == ["x", "window_start", "window_end", "window_time"]
