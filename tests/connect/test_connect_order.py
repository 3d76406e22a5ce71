"""`orderByEventTime` on Spark Connect."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed


def test_order_when_of_each_key_then_its_rows_leave_in_order(feed: RemoteFeed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 1), ("12:00:05", 1))
    feed.add(("12:01:00", 1))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    ordered = tidegate.orderByEventTime(keyed, partitionBy=["partition"])

    assert ordered.columns == ["id", "time", "partition"]
    assert feed.run(ordered.select(F.date_format("time", "ss"))) == [("03",), ("05",), ("07",)]


def test_order_when_the_time_is_named_then_is_by_it(feed: RemoteFeed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 2))
    feed.add(("12:01:00", 1))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    ordered = keyed.orderByEventTime(eventTime="time")

    assert feed.run(ordered.select(F.date_format("time", "ss"))) == [("03",), ("07",)]


def test_order_when_without_a_watermark_then_is_refused(feed: RemoteFeed) -> None:
    feed.add(("12:00:07", 1))

    with pytest.raises(AnalysisException) as refused:
        # Spark Connect analyzes a DataFrame only when it has to answer.
        _ = tidegate.orderByEventTime(feed.stream()).columns

    assert refused.value.getCondition() == "TIDEGATE_ORDER_WITHOUT_WATERMARK"
