"""`tidegate.watermarks` on Spark Connect: the answers of classic PySpark."""

from datetime import datetime, timezone

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed
from refusals import check


def at(hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 1, 1, hour, minute, second, tzinfo=timezone.utc)


NODE = {
    "kind": "watermark",
    "key": 3,
    "watermark": at(11, 50, 5),
    "idle": False,
    "eventTime": "time",
    "heldBackBy": "1",
    "futureEvents": 0,
    "substreams": {
        "0": {"watermark": at(12, 0, 5), "idle": False},
        "1": {"watermark": at(11, 50, 5), "idle": False},
    },
}


OPERATOR = {
    "kind": "operator",
    "key": 3,
    "watermark": at(11, 50, 5),
    "idle": False,
    "eventTime": "time",
    "heldBackBy": "feed",
    "evictionWatermark": at(11, 50, 5),
    "evictionHeldBackBy": "feed",
    "lateRows": 0,
    "partlyLateRows": 0,
    "partlyLateWindows": 0,
}


def test_watermarks_when_the_query_runs_or_was_stopped_then_are_those_of_classic_pyspark(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )
    counted = keyed.groupBy("time", "partition").count()

    query = counted.writeStream.format("noop").start()
    query.processAllAvailable()
    while_running = tidegate.watermarks(query)
    query.stop()
    after_stop = tidegate.watermarks(query)

    assert while_running == after_stop == {"feed": NODE, "aggregate": OPERATOR}
    assert list(after_stop) == ["feed", "aggregate"]
    assert "11:50:05" in after_stop._repr_html_()


def test_watermarks_when_made_a_table_then_is_that_of_sql(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout=None, name="feed"
    )

    query, _ = feed.run_query(keyed)
    table = tidegate.watermarks(query).toDF()
    of_sql = feed.spark.sql(
        "SELECT * EXCEPT (query, query_id, run_id) FROM tidegate_watermarks(:name)",
        args={"name": query.name},
    )

    assert table.dtypes == of_sql.dtypes
    assert table.collect() == of_sql.collect()
    assert [row.substream for row in table.collect()] == ["0", "1"]


def test_watermarks_when_time_has_ended_then_are_the_last_that_python_has(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", flush=True)

    query, _ = feed.run_query(keyed.groupBy(F.window("time", "1 minute")).count())

    end = datetime.max.replace(tzinfo=timezone.utc)
    assert tidegate.watermarks(query)["aggregate"]["watermark"] == end


def test_watermarks_when_the_query_has_none_then_the_sentence_is_that_of_classic_pyspark(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    query = feed.stream().writeStream.queryName("plain").format("noop").start()
    try:
        with pytest.raises(AnalysisException) as error:
            tidegate.watermarks(query)
    finally:
        query.stop()

    check(
        error.value,
        "NOT_A_TIDEGATE_QUERY",
        "The query `plain` has no keyed watermark. Add one with withKeyedWatermark before starting "
        "it.",
        "42K0E",
    )


def test_watermarks_when_of_something_else_then_says_what_was_found(feed: RemoteFeed) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.watermarks(feed.stream())  # type: ignore[arg-type]

    assert str(error.value).startswith(
        "query must be a pyspark.sql.streaming.StreamingQuery, found DataFrame: "
    )
