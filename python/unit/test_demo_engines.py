"""Where the demonstration finds a watermark in the progress of a batch."""

from types import SimpleNamespace
from typing import cast

from pyspark.sql.streaming.listener import StreamingQueryProgress

from tidegate.demo.engines import SparkEngine, TidegateEngine
from tidegate.demo.feed import Feed

FEED = Feed("orders", "path", "order_time")
OFFSET = '{"tidegateClock":1,"nodes":{"orders":{"key":0,"watermark":%s}},"operators":{}}'


def progress(offset: str | None = None, **event_time: str) -> StreamingQueryProgress:
    sources = [
        SimpleNamespace(description="FileStreamSource[orders]", endOffset='{"logOffset":1}'),
        SimpleNamespace(description="tidegate_clock", endOffset=offset),
    ]
    return cast(StreamingQueryProgress, SimpleNamespace(sources=sources, eventTime=event_time))


def test_spark_when_it_has_a_watermark_then_is_in_epoch_ms() -> None:
    with_one = progress(watermark="2026-01-01T12:00:05.123Z")

    assert SparkEngine().watermark(FEED, with_one) == 1_767_268_805_123


def test_spark_when_at_the_epoch_or_without_then_is_none() -> None:
    assert SparkEngine().watermark(FEED, progress(watermark="1970-01-01T00:00:00.000Z")) is None
    assert SparkEngine().watermark(FEED, progress()) is None


def test_tidegate_when_the_clock_has_an_offset_then_is_that_of_the_node() -> None:
    assert TidegateEngine().watermark(FEED, progress(OFFSET % 1_767_268_805_123)) == (
        1_767_268_805_123
    )


def test_tidegate_when_nothing_was_seen_then_is_none() -> None:
    assert TidegateEngine().watermark(FEED, progress()) is None
    assert TidegateEngine().watermark(FEED, progress("null")) is None
    assert TidegateEngine().watermark(FEED, progress(OFFSET % "null")) is None
