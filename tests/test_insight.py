"""`progress`, its listener and `explainTime`, on classic PySpark."""

import threading
from datetime import datetime, timezone
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import StreamingQueryProgress

import tidegate
from feeds import Feed
from refusals import check


def at(hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(2026, 1, 1, hour, minute, second, tzinfo=timezone.utc)


def counts(feed: Feed) -> DataFrame:
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )
    return keyed.groupBy(F.window("time", "1 minute")).count()


@pytest.mark.usefixtures("rhythm_of_spark")
def test_progress_when_batches_have_run_then_has_what_each_did_to_time(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    query = counts(feed).writeStream.format("noop").start()
    query.processAllAvailable()
    feed.add(("11:40:00", 1))
    query.processAllAvailable()
    first, *_, last = tidegate.progress(query)
    one = tidegate.progress(query, last=1)
    of_spark = [tidegate.progressOf(progress) for progress in query.recentProgress]
    query.stop()

    assert one == [last]
    assert [batch for batch in of_spark if batch] == tidegate.progress(query)
    assert first["batchId"] == 0
    assert first["watermarks"]["feed"]["watermark"] is None
    watermark = last["watermarks"]["feed"]
    assert watermark["watermark"] == at(11, 50, 5)
    assert watermark["heldBackBy"] == "1"
    assert watermark["heldBackMs"] == 600000
    assert watermark["activeSubstreams"] == 2
    since = watermark["heldBackSince"]
    assert since is not None
    assert since <= last["wallClock"]
    assert watermark["lagMs"] == (last["wallClock"] - at(11, 50, 5)).total_seconds() * 1000
    operator = last["operators"]["aggregate"]
    assert (operator["lateRows"], operator["lateRowsTotal"]) == (1, 1)
    assert operator["heldBackBy"] == "feed"


@pytest.mark.usefixtures("rhythm_of_spark")
def test_listener_when_a_query_runs_then_is_told_of_each_batch(
    feed: Feed, spark: SparkSession
) -> None:
    heard: list[tuple[str | None, Any]] = []
    enough = threading.Event()

    class Listener(tidegate.ProgressListener):
        def onBatch(self, progress: StreamingQueryProgress, batch: tidegate.BatchProgress) -> None:
            heard.append((progress.name, batch))
            if len(heard) == 2:
                enough.set()

    listener = Listener()
    spark.streams.addListener(listener)
    try:
        feed.add(("12:00:10", 0), ("11:50:10", 1))
        query = counts(feed).writeStream.format("noop").queryName("heard").start()
        query.processAllAvailable()
        assert enough.wait(timeout=60)
    finally:
        spark.streams.removeListener(listener)
    query.stop()

    assert heard == [("heard", batch) for batch in tidegate.progress(query)]


def test_explanation_when_a_substream_is_behind_then_names_it(
    feed: Feed, capsys: pytest.CaptureFixture[str]
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    query = counts(feed).writeStream.format("noop").queryName("explained").start()
    query.processAllAvailable()
    tidegate.explainTime(query)
    printed = capsys.readouterr().out
    query.stop()

    lines = printed.splitlines()
    assert lines[0].startswith("The query `explained` runs; it is ")
    assert lines[2].startswith("`feed` is at 2026-01-01T11:50:05Z, ")
    assert lines[3].startswith("`feed` waits for partition 1, which is 10 min behind the newest, ")
    assert lines[4] == "  Its rows are that old: time waits for them, so that they are not late."
    assert (
        lines[6]
        == "`aggregate` waits for partition 1 of `feed`, which is 10 min behind the newest."
    )
    assert tidegate.explainTime(query).startswith("The query `explained` has ended. ")


def test_query_when_it_has_no_keyed_watermark_then_the_sentence_is_that_of_watermarks(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0))
    query = feed.stream().writeStream.queryName("plain").format("noop").start()
    try:
        for ask in (tidegate.progress, tidegate.explainTime):
            with pytest.raises(AnalysisException) as error:
                ask(query)
            check(
                error.value,
                "NOT_A_TIDEGATE_QUERY",
                "The query `plain` has no keyed watermark. Add one with withKeyedWatermark before "
                "starting it.",
                "42K0E",
            )
    finally:
        query.stop()
