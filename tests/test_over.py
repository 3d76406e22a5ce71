"""Functions with `OVER` over streams, as a user calls them."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import tidegate
from feeds import Feed


def add_all(feed: Feed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 2), ("12:00:05", 1), ("12:00:12", 2))
    feed.add(("12:01:00", 1))


def before(rows: DataFrame) -> DataFrame:
    by_time = Window.partitionBy("partition").orderBy("time")
    count = F.expr(
        "count(*) OVER (PARTITION BY partition ORDER BY time "
        "RANGE BETWEEN INTERVAL 2 SECONDS PRECEDING AND CURRENT ROW)"
    )
    last = F.date_format(F.lag("time").over(by_time), "HH:mm:ss")
    return rows.select(F.date_format("time", "HH:mm:ss"), count, last)


def test_over_when_the_watermark_has_passed_then_rows_leave_as_in_batch(feed: Feed) -> None:
    add_all(feed)
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    rows = sorted(feed.run(before(keyed)))

    assert rows == [
        ("12:00:03", 1, None),
        ("12:00:05", 1, None),
        ("12:00:07", 2, "12:00:05"),
        ("12:00:12", 1, "12:00:03"),
    ]
    batch = before(feed.batch()).where("NOT (date_format(time, 'HH:mm:ss') = '12:01:00')")
    assert rows == sorted(tuple(row) for row in batch.collect())


def test_over_when_a_frame_looks_ahead_then_says_so(feed: Feed) -> None:
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")
    ahead = Window.partitionBy("partition").orderBy("time").rowsBetween(0, 1)

    with pytest.raises(AnalysisException, match="its frame ends after the row"):
        feed.run(keyed.select(F.count("*").over(ahead)))
