"""`orderByEventTime` and `ORDER_BY_TIME`, as a user calls them."""

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from feeds import Feed, counts
from refusals import check


def keyed(rows: DataFrame, lag: str = "5 seconds") -> DataFrame:
    return tidegate.withKeyedWatermark(rows, "time", lag, name="feed")


def clock_times(rows: DataFrame) -> DataFrame:
    return rows.select("partition", F.date_format("time", "HH:mm:ss"), "id")


def add_all(feed: Feed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 2), ("12:00:05", 1), ("12:00:03", 1))
    feed.add(("12:00:12", 2), ("12:00:03", 2))
    # The watermark of the first file was 12:00:02: the second row is late.
    feed.add(("12:01:00", 1), ("12:00:01", 1))


IN_ORDER = [
    (2, "12:00:03", 1),
    (1, "12:00:03", 3),
    (2, "12:00:03", 1),
    (1, "12:00:05", 2),
    (1, "12:00:07", 0),
    (2, "12:00:12", 0),
]


def test_order_when_of_all_rows_then_they_leave_by_time_and_arrival(feed: Feed) -> None:
    add_all(feed)

    assert feed.run(clock_times(tidegate.orderByEventTime(keyed(feed.stream())))) == IN_ORDER


def test_order_when_of_each_key_then_its_rows_leave_in_order(feed: Feed) -> None:
    add_all(feed)

    rows = feed.run(clock_times(tidegate.orderByEventTime(keyed(feed.stream()), ["partition"])))

    assert len(rows) == len(IN_ORDER)
    for key in (1, 2):
        assert [r for r in rows if r[0] == key] == [r for r in IN_ORDER if r[0] == key]


@pytest.mark.parametrize(
    "call",
    [
        "ORDER_BY_TIME(TABLE(o), DESCRIPTOR(time))",
        "ORDER_BY_TIME(o, timecol => DESCRIPTOR(time))",
        "order_by_time(TABLE(SELECT * FROM o))",
    ],
)
def test_sql_when_called_then_gives_the_rows_of_the_method(
    spark: SparkSession, feed: Feed, call: str
) -> None:
    add_all(feed)
    keyed(feed.stream()).createOrReplaceTempView("o")

    assert feed.run(clock_times(spark.sql(f"SELECT * FROM {call}"))) == IN_ORDER


def test_sql_when_partitioned_then_each_key_is_in_order(spark: SparkSession, feed: Feed) -> None:
    add_all(feed)
    keyed(feed.stream()).createOrReplaceTempView("o")

    text = "SELECT * FROM ORDER_BY_TIME(TABLE(o) PARTITION BY partition, DESCRIPTOR(time))"
    rows = feed.run(clock_times(spark.sql(text)))

    assert [r for r in rows if r[0] == 1] == [r for r in IN_ORDER if r[0] == 1]


def test_restart_when_in_the_middle_then_rows_that_wait_go_on(feed: Feed) -> None:
    query = clock_times(tidegate.orderByEventTime(keyed(feed.stream())))
    feed.add(("12:00:07", 1), ("12:00:03", 2), ("12:00:05", 1), ("12:00:03", 1))
    first = feed.run(query)
    feed.add(("12:00:12", 2), ("12:00:03", 2))
    second = feed.run(query)
    feed.add(("12:01:00", 1), ("12:00:01", 1))

    assert first + second + feed.run(query) == IN_ORDER


def test_window_when_over_an_order_then_counts_as_without_it(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:50", 0), ("12:01:10", 0))
    feed.add(("12:01:30", 0), ("12:01:06", 0))
    feed.add(("12:03:00", 0))

    ordered = tidegate.orderByEventTime(keyed(feed.stream()))

    assert sorted(feed.run(counts(ordered))) == [("12:00", 2), ("12:01", 3)]


def test_watermarks_when_asked_then_show_the_operator(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    ordered = clock_times(tidegate.orderByEventTime(keyed(feed.stream()), "partition"))
    with feed.running(ordered) as (query, emitted):
        feed.add(("12:00:20", 0))
        query.processAllAvailable()
        feed.add(("12:00:16", 0), ("12:00:01", 0))
        query.processAllAvailable()
        assert emitted.next() == (0, "12:00:10", 0)
        operator = tidegate.watermarks(query)["orderByEventTime"]

    assert operator["kind"] == "operator"
    assert operator["eventTime"] == "time"
    assert operator["heldBackBy"] == "feed"
    assert operator["lateRows"] == 1


def test_batch_when_ordered_then_is_sorted_by_time(feed: Feed) -> None:
    add_all(feed)

    rows = tidegate.orderByEventTime(keyed(feed.batch())).collect()

    times = [row.time for row in rows]
    assert len(times) == 8
    assert times == sorted(times)
    per_key = tidegate.orderByEventTime(feed.batch(), ["partition"], "time").collect()
    ones = [row.time for row in per_key if row.partition == 1]
    assert ones == sorted(ones)


def test_mode_when_not_append_then_is_refused(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    ordered = tidegate.orderByEventTime(keyed(feed.stream()))

    with pytest.raises(AnalysisException) as refused:
        feed.run(ordered, "update")

    check(
        refused.value,
        "ORDER_OUTPUT_MODE",
        "The query orders a stream by event time, which works in output mode append, but its "
        "output mode is update. Use outputMode('append'): a row leaves once, when the watermark "
        "has passed it.",
        "42KDE",
    )


@pytest.mark.parametrize(
    ("call", "condition", "sentence", "state"),
    [
        (
            lambda rows: tidegate.orderByEventTime(rows),
            "ORDER_WITHOUT_WATERMARK",
            "A stream is to be ordered by event time, but none of its columns has a keyed "
            "watermark, so that no row would ever leave. Call withKeyedWatermark('ts', '5 "
            "seconds') on it before, or put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 "
            "SECONDS) in the place of the table.",
            "42K0E",
        ),
        (
            lambda rows: tidegate.orderByEventTime(keyed(rows), "shard"),
            "ORDER_KEY_NOT_FOUND",
            "The column `shard` that rows are divided by before they are ordered does not exist. "
            "Use one or more of the columns that there are: `id`, `time`, `partition`.",
            "42703",
        ),
        (
            lambda rows: tidegate.orderByEventTime(keyed(rows), eventTime="id"),
            "EVENT_TIME_NOT_TIMESTAMP",
            "The event time column `id` has the type BIGINT, but must be a TIMESTAMP or "
            "TIMESTAMP_NTZ. Convert it first, for example with to_timestamp or timestamp_millis.",
            "42K09",
        ),
    ],
)
def test_call_when_it_cannot_work_then_is_refused_at_once(
    feed: Feed,
    call: Callable[[DataFrame], DataFrame],
    condition: str,
    sentence: str,
    state: str,
) -> None:
    feed.add(("12:00:10", 0))

    with pytest.raises(AnalysisException) as refused:
        call(feed.stream())

    check(refused.value, condition, sentence, state)
