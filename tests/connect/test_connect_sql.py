"""The functions of SQL from a client of Spark Connect, on streams and on tables."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from connect.remote_feed import RemoteFeed
from sparks import since

Rows = list[tuple[Any, ...]]

ORDERED = "IMPOSE_ORDER(TABLE(events), DESCRIPTOR(time), INTERVAL 0 SECONDS, name => 'orders')"


@pytest.fixture
def events(feed: RemoteFeed) -> RemoteFeed:
    """Return a feed of three rows; the last file closes their windows."""
    feed.add(("12:00:10", 0), ("12:00:50", 0), ("12:01:05", 0))
    feed.add(("13:00:00", 0))
    return feed


def counts(function: str) -> str:
    """Count the rows of each window of a function."""
    return (
        "SELECT date_format(window_start, 'HH:mm:ss'), date_format(window_end, 'HH:mm:ss'), "
        f"count(*) FROM {function} GROUP BY window_start, window_end"
    )


WINDOWS: list[tuple[str, Rows]] = [
    (
        f"TUMBLE(TABLE({ORDERED}), DESCRIPTOR(time), INTERVAL 1 MINUTE)",
        [("12:00:00", "12:01:00", 2), ("12:01:00", "12:02:00", 1)],
    ),
    (
        f"hop(TABLE({ORDERED}), descriptor(time), 1 minute, 30 seconds)",
        [
            ("11:59:30", "12:00:30", 1),
            ("12:00:00", "12:01:00", 2),
            ("12:00:30", "12:01:30", 2),
            ("12:01:00", "12:02:00", 1),
        ],
    ),
    (
        f"CUMULATE(TABLE({ORDERED}), DESCRIPTOR(time), '30 seconds', '1 minute')",
        [
            ("12:00:00", "12:00:30", 1),
            ("12:00:00", "12:01:00", 2),
            ("12:01:00", "12:01:30", 1),
            ("12:01:00", "12:02:00", 1),
        ],
    ),
    (
        f"SESSION(TABLE({ORDERED}), DESCRIPTOR(time), gap => INTERVAL 20 SECONDS)",
        [("12:00:10", "12:00:30", 1), ("12:00:50", "12:01:25", 2)],
    ),
]

on_windows = pytest.mark.parametrize(
    ("function", "expected"), WINDOWS, ids=["tumble", "hop", "cumulate", "session"]
)


@on_windows
def test_windows_when_over_a_view_of_a_stream_then_leave_when_they_are_closed(
    events: RemoteFeed, function: str, expected: Rows
) -> None:
    events.stream().createOrReplaceTempView("events")

    assert sorted(events.run(events.spark.sql(counts(function)))) == expected


@on_windows
def test_windows_when_over_a_table_then_are_those_of_the_stream(
    events: RemoteFeed, function: str, expected: Rows
) -> None:
    events.batch().where("time < '2026-01-01 12:30:00'").createOrReplaceTempView("events")

    assert sorted(rows(events.spark.sql(counts(function)))) == expected


LATENESS = (
    f"SELECT id, date_format(current_watermark('orders'), 'HH:mm:ss'), is_late(time) FROM {ORDERED}"
)


def test_watermark_functions_when_in_a_stream_then_tell_the_watermark_of_the_batch(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    # As in Spark, a batch does not know yet what the one before it saw.
    feed.add(("12:00:10", 1))
    feed.add(("12:00:05", 0), ("12:00:15", 0))
    feed.stream().createOrReplaceTempView("events")

    assert feed.run(feed.spark.sql(LATENESS)) == [
        (0, None, False),
        (0, None, False),
        (0, "12:00:10", True),
        (1, "12:00:10", False),
    ]


def test_watermark_functions_when_in_a_table_then_there_is_no_watermark(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0))
    feed.batch().createOrReplaceTempView("events")

    assert rows(feed.spark.sql(LATENESS)) == [(0, None, False)]


def test_dataframe_when_in_the_text_then_is_the_table_beside_parameters(events: RemoteFeed) -> None:
    counted = events.spark.sql(
        """
        SELECT date_format(window_start, 'HH:mm:ss'), count(*)
        FROM TUMBLE(
            TABLE(IMPOSE_ORDER(TABLE({df}), DESCRIPTOR(time), :lag, name => :name)),
            DESCRIPTOR(time), :size)
        GROUP BY window_start, window_end
        """,
        df=events.stream(),
        args={"lag": "0 seconds", "name": "orders", "size": "1 minute"},
    )

    assert counted.isStreaming
    assert sorted(events.run(counted)) == [("12:00:00", 2), ("12:01:00", 1)]


def test_view_when_over_a_view_with_a_watermark_then_keeps_it(events: RemoteFeed) -> None:
    spark = events.spark
    events.stream().createOrReplaceTempView("events")
    spark.sql(f"CREATE OR REPLACE TEMP VIEW ordered AS SELECT * FROM {ORDERED}")
    spark.sql("CREATE OR REPLACE TEMP VIEW some AS SELECT time AS at FROM ordered WHERE id < 2")

    counted = spark.sql(counts("TUMBLE(TABLE some, DESCRIPTOR(at), 1 MINUTE)"))

    assert events.run(counted) == [("12:00:00", "12:01:00", 2)]


def test_execute_immediate_when_it_has_parameters_then_gives_a_stream(events: RemoteFeed) -> None:
    events.stream().createOrReplaceTempView("events")
    inner = counts(f"TUMBLE(TABLE({ORDERED}), DESCRIPTOR(time), :size)").replace("'", "\\'")

    counted = events.spark.sql(f"EXECUTE IMMEDIATE '{inner}' USING '1 minute' AS size")

    assert sorted(events.run(counted)) == WINDOWS[0][1]


@since(1, "SQL scripts")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM TUMBLE(TABLE(events), DESCRIPTOR(time), size);",
        "EXECUTE IMMEDIATE 'SELECT count(*) FROM TUMBLE(TABLE(events), DESCRIPTOR(time), :size)' "
        "USING size AS size;",
        "SELECT count(*) FROM TUMBLE(TABLE(events), DESCRIPTOR(time), :parameter);",
    ],
    ids=["variable", "execute immediate", "parameter"],
)
def test_script_when_a_length_is_not_in_the_text_then_is_taken(
    events: RemoteFeed, statement: str
) -> None:
    events.batch().createOrReplaceTempView("events")
    script = f"BEGIN DECLARE size STRING DEFAULT '1 minute'; {statement} END"

    assert rows(events.spark.sql(script, args={"parameter": "1 minute"})) == [(4,)]


def test_scalar_function_when_called_through_the_api_then_is_found(spark: SparkSession) -> None:
    selected = spark.range(1).selectExpr("current_watermark('orders') AS watermark")

    assert rows(selected) == [(None,)]


def rows(result: DataFrame) -> Rows:
    return [tuple(row) for row in result.collect()]
