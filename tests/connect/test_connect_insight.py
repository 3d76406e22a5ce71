"""`progress`, its listener and `explainTime` on Spark Connect: the answers of classic PySpark."""

import threading
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import StreamingQueryProgress

import tidegate
from connect.remote_feed import RemoteFeed


def counts(feed: RemoteFeed) -> DataFrame:
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )
    return keyed.groupBy(F.window("time", "1 minute")).count()


@pytest.mark.usefixtures("rhythm_of_spark")
def test_progress_when_the_query_runs_or_was_stopped_then_is_what_spark_tells_of_each_batch(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    query = counts(feed).writeStream.format("noop").start()
    query.processAllAvailable()
    while_running = tidegate.progress(query)
    told = [tidegate.progressOf(progress) for progress in query.recentProgress]
    query.stop()

    assert while_running == tidegate.progress(query)
    assert [batch for batch in told if batch] == while_running
    assert [batch["batchId"] for batch in while_running] == [0, 1]
    assert tidegate.progress(query, last=1) == while_running[1:]
    last = while_running[-1]
    assert last["watermarks"]["feed"]["heldBackBy"] == "1"
    assert last["watermarks"]["feed"]["heldBackMs"] == 600000
    assert last["operators"]["aggregate"]["lateRowsTotal"] == 0


def test_explanation_when_the_query_runs_or_was_stopped_then_names_who_holds_time(
    feed: RemoteFeed, capsys: pytest.CaptureFixture[str]
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    query = counts(feed).writeStream.format("noop").queryName("remote").start()
    query.processAllAvailable()
    tidegate.explainTime(query)
    while_running = capsys.readouterr().out.splitlines()
    query.stop()
    after_stop = tidegate.explainTime(query).splitlines()

    assert while_running[0].startswith("The query `remote` runs; it is ")
    assert after_stop[0].startswith("The query `remote` has ended. ")
    for lines in (while_running, after_stop):
        assert lines[3].startswith(
            "`feed` waits for partition 1, which is 10 min behind the newest"
        )
        assert lines[-1] == (
            "`aggregate` waits for partition 1 of `feed`, which is 10 min behind the newest."
        )


@pytest.mark.usefixtures("rhythm_of_spark")
def test_listener_when_a_query_runs_then_is_told_of_each_batch(feed: RemoteFeed) -> None:
    heard: list[Any] = []
    enough = threading.Event()

    class Listener(tidegate.ProgressListener):
        def onBatch(self, progress: StreamingQueryProgress, batch: tidegate.BatchProgress) -> None:
            heard.append(batch)
            if len(heard) == 2:
                enough.set()

    listener = Listener()
    feed.spark.streams.addListener(listener)
    try:
        feed.add(("12:00:10", 0), ("11:50:10", 1))
        query = counts(feed).writeStream.format("noop").start()
        query.processAllAvailable()
        assert enough.wait(timeout=60)
    finally:
        feed.spark.streams.removeListener(listener)
    query.stop()

    assert heard == tidegate.progress(query)


def test_query_when_it_has_no_keyed_watermark_then_the_sentence_says_so(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0))
    query = feed.stream().writeStream.queryName("plain").format("noop").start()
    try:
        for ask in (tidegate.progress, tidegate.explainTime):
            with pytest.raises(AnalysisException) as error:
                ask(query)
            assert error.value.getCondition() == "TIDEGATE_NOT_A_TIDEGATE_QUERY"
    finally:
        query.stop()
