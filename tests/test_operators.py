"""Spark's stateful operators on a keyed watermark."""

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed


def keyed(feed: Feed) -> DataFrame:
    return tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", substream="partition")


def clock_time(rows: DataFrame) -> DataFrame:
    return rows.select(F.date_format("time", "HH:mm:ss"), "partition")


def test_drop_duplicates_when_a_substream_lags_then_keeps_its_rows_and_no_late_ones(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:00:10", 0), ("11:50:10", 1), ("11:50:20", 1))
    feed.add(("12:01:10", 0), ("11:55:10", 1))
    feed.add(("12:02:10", 0), ("11:55:20", 1))
    feed.add(("12:01:10", 0), ("11:55:00", 1))

    rows = feed.run(clock_time(keyed(feed).dropDuplicates(["time", "partition"])))

    assert sorted(rows) == [
        *[("11:50:10", 1), ("11:50:20", 1), ("11:55:10", 1), ("11:55:20", 1)],
        *[("12:00:10", 0), ("12:01:10", 0), ("12:02:10", 0)],
    ]


@pytest.mark.usefixtures("rhythm_of_spark")
def test_drop_duplicates_within_watermark_when_time_has_passed_then_a_key_may_come_again(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:00:12", 0), ("11:50:12", 1))
    feed.add(("12:30:00", 0), ("12:30:00", 1))
    feed.add(("12:31:00", 0), ("12:31:00", 1))
    feed.add(("12:32:00", 0), ("12:32:00", 1))

    rows = feed.run(clock_time(keyed(feed).dropDuplicatesWithinWatermark(["partition"])))

    assert sorted(rows) == [("11:50:10", 1), ("12:00:10", 0), ("12:32:00", 0), ("12:32:00", 1)]


def test_session_window_when_a_substream_lags_then_its_session_is_whole(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:01:10", 0), ("11:51:10", 1))
    feed.add(("12:02:10", 0), ("11:52:10", 1))
    feed.add(("13:30:00", 0), ("13:30:00", 1))
    session = F.session_window("time", "70 seconds")
    bounds = [F.date_format(f"session_window.{bound}", "HH:mm:ss") for bound in ("start", "end")]

    sessions = keyed(feed).groupBy(session, "partition").count()
    rows = feed.run(sessions.select(*bounds, "partition", "count"))

    assert sorted(rows) == [("11:50:10", "11:53:20", 1, 3), ("12:00:10", "12:03:20", 0, 3)]


def test_sliding_window_when_a_substream_lags_then_counts_as_in_batch(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:01:10", 0), ("11:51:10", 1))
    feed.add(("12:02:10", 0), ("11:52:10", 1))
    feed.add(("13:30:00", 0), ("13:30:00", 1))

    def counts(rows: DataFrame) -> DataFrame:
        return rows.groupBy(F.window("time", "2 minutes", "1 minute")).count()

    in_batch = counts(feed.batch().where("time < '2026-01-01 13:00:00'")).collect()

    assert sorted(feed.run(counts(keyed(feed)))) == sorted(tuple(row) for row in in_batch)


def test_windows_when_in_update_mode_then_a_row_within_the_lag_updates_its_window(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:00:20", 0), ("11:50:20", 1))
    counted = keyed(feed).groupBy(F.window("time", "1 minute")).count()

    rows = feed.run(
        counted.select(F.date_format("window.start", "HH:mm"), "count"), output_mode="update"
    )

    assert sorted(rows) == [("11:50", 1), ("11:50", 2), ("12:00", 1), ("12:00", 2)]


def test_drop_duplicates_by_the_start_of_a_window_when_it_is_closed_then_keys_leave(
    feed: Feed,
) -> None:
    for minute in range(6):
        feed.add((f"12:0{minute}:10", 0), (f"12:0{minute}:20", 0))
    keyed(feed).createOrReplaceTempView("watched")
    windows = feed.spark.sql(
        "SELECT * FROM TUMBLE(TABLE(watched), DESCRIPTOR(time), INTERVAL 1 MINUTE)"
    )
    starts = windows.dropDuplicates(["window_start", "partition"])

    query, rows = feed.run_query(starts.select(F.date_format("window_start", "HH:mm"), "partition"))

    assert sorted(rows) == [(f"12:0{minute}", 0) for minute in range(6)]
    assert query.lastProgress is not None
    assert query.lastProgress.stateOperators[0].numRowsTotal == 1
