"""Keyed watermarks end to end, as a user of PySpark sees them."""

import re
from datetime import datetime, timezone

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from feeds import Feed


def at(hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 1, 1, hour, minute, second, tzinfo=timezone.utc)


def lagging(feed: Feed) -> None:
    """Partition 1 runs ten minutes behind partition 0; two rows an hour later end the feed."""
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:01:10", 0), ("11:51:10", 1))
    feed.add(("12:02:10", 0), ("11:52:10", 1))
    feed.add(("12:03:10", 0), ("11:53:10", 1))
    feed.add(("13:30:00", 0), ("13:30:00", 1))


def counts(rows: DataFrame) -> DataFrame:
    window: Column = F.window("time", "1 minute")
    counted = rows.groupBy(window).count()
    return counted.select(F.date_format("window.start", "HH:mm"), "count")


ALL = {
    *[("11:50", 1), ("11:51", 1), ("11:52", 1), ("11:53", 1)],
    *[("12:00", 1), ("12:01", 1), ("12:02", 1), ("12:03", 1)],
}


def test_lagging_substream_when_counted_in_windows_then_loses_no_rows(feed: Feed) -> None:
    lagging(feed)

    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", substream="partition")

    assert set(feed.run(counts(keyed))) == ALL


def test_lagging_substream_when_under_sparks_watermark_then_loses_rows(feed: Feed) -> None:
    lagging(feed)

    rows = feed.run(counts(feed.stream().withWatermark("time", "5 seconds")))

    assert ("11:53", 1) not in rows
    assert ("12:03", 1) in rows


def test_watermark_when_asked_of_a_query_then_is_the_minimum_over_the_substreams(
    feed: Feed,
) -> None:
    lagging(feed)
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )
    query = started(feed, counts(keyed))
    try:
        query.processAllAvailable()
        feed.add(("13:40:00", 0))
        query.processAllAvailable()
        node = tidegate.watermarks(query)["feed"]
    finally:
        query.stop()

    assert node == {
        "key": 3,
        "watermark": at(13, 29, 55),
        "idle": False,
        "eventTime": "time",
        "futureEvents": 0,
        "substreams": {
            "0": {"watermark": at(13, 39, 55), "idle": False},
            "1": {"watermark": at(13, 29, 55), "idle": False},
        },
    }


def test_query_when_restarted_then_goes_on_where_it_was(feed: Feed) -> None:
    def keyed() -> DataFrame:
        return tidegate.withKeyedWatermark(
            feed.stream(), "time", "5 seconds", substream="partition"
        )

    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:01:10", 0), ("11:51:10", 1))
    first = feed.run(counts(keyed()))
    feed.add(("12:02:10", 0), ("11:52:10", 1))
    feed.add(("12:03:10", 0), ("11:53:10", 1))
    feed.add(("13:30:00", 0), ("13:30:00", 1))
    second = feed.run(counts(keyed()))

    assert first == [("11:50", 1)]
    assert set(first) | set(second) == ALL
    assert len(first) + len(second) == len(ALL)


def test_method_and_transform_when_used_then_do_the_same_as_the_function(feed: Feed) -> None:
    lagging(feed)

    method = feed.stream().withKeyedWatermark(  # type: ignore[operator]
        "time", "5 seconds", substream="partition"
    )
    transformed = feed.stream().transform(
        tidegate.withKeyedWatermark, "time", "5 seconds", substream="partition"
    )

    assert method.schema == transformed.schema == feed.stream().schema
    assert set(feed.run(counts(method))) == ALL


def test_batch_dataframe_when_given_a_watermark_then_stays_as_it_is(feed: Feed) -> None:
    lagging(feed)

    keyed = tidegate.withKeyedWatermark(feed.batch(), "time", "5 seconds", substream="partition")

    assert sorted(keyed.collect()) == sorted(feed.batch().collect())
    assert keyed.schema == feed.batch().schema


@pytest.mark.parametrize(
    ("event_time", "lag", "named"),
    [
        ("nowhere", "5 seconds", "nowhere"),
        ("id", "5 seconds", "id"),
        ("time", "5 parsecs", "5 parsecs"),
        ("time", "-5 seconds", "-5 seconds"),
    ],
)
def test_argument_when_not_usable_then_an_analysis_exception_names_it(
    feed: Feed, event_time: str, lag: str, named: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        _ = tidegate.withKeyedWatermark(feed.stream(), event_time, lag).schema

    assert re.search(rf"(?<!\w){named}\b", str(error.value))


def test_key_when_it_is_there_already_then_an_analysis_exception_names_it(feed: Feed) -> None:
    once = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", key=7)

    with pytest.raises(AnalysisException) as error:
        _ = tidegate.withKeyedWatermark(once, "time", "5 seconds", key=7).schema

    assert re.search(r"\bkey 7\b", str(error.value))


def started(feed: Feed, result: DataFrame) -> StreamingQuery:
    writer = result.writeStream.option("checkpointLocation", feed.checkpoint)
    return writer.format("noop").start()
