"""`tidegate.watermarks` and what the progress of a query tells."""

import ast
import json
from datetime import datetime, timezone
from pathlib import Path
from time import sleep

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

import tidegate
from feeds import SCHEMA, Feed
from refusals import check
from statuses import watermark_of


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


def test_watermarks_when_the_query_runs_or_was_stopped_then_are_the_minimum_of_the_substreams(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )

    with feed.running(keyed) as (query, _):
        query.processAllAvailable()
        while_running = tidegate.watermarks(query)
    after_stop = tidegate.watermarks(query)

    assert while_running == after_stop == {"feed": NODE}


def test_watermarks_when_made_a_table_then_has_a_row_for_each_substream_and_operator(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", 3, substream="partition", idleTimeout=None, name="feed"
    )

    query, _ = feed.run_query(keyed.groupBy("time", "partition").count())
    table = tidegate.watermarks(query).toDF()
    of_sql = feed.spark.sql(
        "SELECT * EXCEPT (query, query_id, run_id) FROM tidegate_watermarks(:query)",
        args={"query": query.id},
    )

    assert table.dtypes == of_sql.dtypes
    assert table.collect() == of_sql.collect()
    shown = table.select("name", F.date_format("watermark", "HH:mm:ss"), "substream").collect()
    assert [tuple(row) for row in shown] == [
        ("feed", "11:50:05", "0"),
        ("feed", "11:50:05", "1"),
        ("aggregate", "11:50:05", None),
    ]


def test_watermarks_when_shown_in_a_notebook_then_names_of_substreams_are_text(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), *((f"12:00:{n}", n) for n in range(11, 35)))
    named = feed.stream().withColumn(
        "shop", F.expr("if(partition = 0, '<b>&\"', partition::string)")
    )
    keyed = named.withKeyedWatermark("time", "5 seconds", substream="shop", idleTimeout=None)

    query, _ = feed.run_query(keyed)
    html = tidegate.watermarks(query)._repr_html_()

    assert len(watermark_of(query, "time")["substreams"]) == 25
    assert html.count("<tr>") == 1 + 1 + 20 + 1
    assert "<b>" not in html
    assert html.index("&lt;b&gt;&amp;&quot;") < html.index(">11<") < html.index("and 5 more")


def test_sql_when_a_query_is_not_there_then_the_sentence_names_those_that_are(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    spark = feed.spark.newSession()
    stream = spark.readStream.schema(SCHEMA).json(str(feed.folder))
    keyed = tidegate.withKeyedWatermark(stream, "time", "5 seconds")
    query = keyed.writeStream.queryName("hourly").format("noop").start()
    try:
        with pytest.raises(AnalysisException) as error:
            spark.sql("SELECT * FROM tidegate_watermarks('houly')").collect()
    finally:
        query.stop()

    check(
        error.value,
        "UNKNOWN_QUERY",
        "The argument `query` of tidegate_watermarks is 'houly', but in this session no query runs "
        "that has this name or id, and no query with keyed watermarks has ended that had it. There "
        "are: `hourly`.",
        "42704",
    )


def test_watermarks_when_substreams_have_several_columns_then_their_values_name_them(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0))
    named = feed.stream().withColumn("topic", F.lit("a/b"))
    keyed = tidegate.withKeyedWatermark(
        named, "time", "5 seconds", substream=["topic", "partition"]
    )

    query, _ = feed.run_query(keyed)

    assert list(watermark_of(query, "time")["substreams"]) == ["a\\/b/0"]


def test_watermarks_when_the_query_has_none_then_an_analysis_exception_names_it(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0))
    query = feed.stream().writeStream.queryName("plain").format("noop").start()
    try:
        with pytest.raises(AnalysisException) as error:
            tidegate.watermarks(query)
    finally:
        query.stop()

    assert error.value.getCondition() == "TIDEGATE_NOT_A_TIDEGATE_QUERY"
    assert str(error.value) == (
        "[TIDEGATE_NOT_A_TIDEGATE_QUERY] The query `plain` has no keyed watermark. Add one with "
        "withKeyedWatermark before starting it. SQLSTATE: 42K0E"
    )


def test_watermarks_when_the_query_has_an_operator_then_tell_what_moves_it(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    feed.add(("12:10:10", 0))
    feed.add(("12:20:10", 0))
    feed.add(("12:00:20", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", 3, name="feed")

    query, _ = feed.run_query(keyed.groupBy("time").count())

    assert tidegate.watermarks(query)["aggregate"] == {
        "kind": "operator",
        "key": 3,
        "watermark": at(12, 20, 5),
        "idle": False,
        "eventTime": "time",
        "heldBackBy": "feed",
        "evictionWatermark": at(12, 20, 5),
        "evictionHeldBackBy": "feed",
        "lateRows": 1,
        "partlyLateRows": 0,
        "partlyLateWindows": 0,
    }


def test_time_when_too_far_in_the_future_then_is_counted_and_moves_no_watermark(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0))
    ahead = feed.stream().withColumn(
        "ahead", F.expr("if(partition = 0, current_timestamp() + interval 2 hours, time)")
    )
    keyed = tidegate.withKeyedWatermark(
        ahead, "ahead", "5 seconds", substream="partition", maxFutureSkew="1 hour", name="feed"
    )
    feed.add(("12:00:10", 1))

    query, _ = feed.run_query(keyed)
    node = watermark_of(query, "feed")

    assert node["futureEvents"] == 1
    assert node["substreams"]["0"] == {"watermark": None, "idle": False}
    assert node["substreams"]["1"] == {"watermark": at(12, 0, 5), "idle": False}


def test_late_rows_when_dropped_then_the_progress_counts_each_of_them(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    feed.add(("12:10:10", 0))
    feed.add(("12:20:10", 0))
    feed.add(("12:00:20", 0), ("12:00:30", 0), ("12:20:20", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", name="feed")

    query, _ = feed.run_query(keyed.groupBy(F.window("time", "1 minute")).count())
    clocks = [
        source
        for progress in query.recentProgress
        for source in progress.sources
        if source.description == "tidegate_clock"
    ]

    assert sum(int(clock.metrics["lateRows.aggregate"]) for clock in clocks) == 2
    offset = clocks[-1].endOffset
    # PySpark 4.0 gives the text of a dict.
    last = ast.literal_eval(offset) if "'" in offset else json.loads(offset)
    assert last["tidegateClock"] == 1
    assert last["nodes"]["feed"]["watermark"] == 1_767_270_005_000
    assert last["operators"]["aggregate"] == {
        "key": 0,
        "watermark": 1_767_270_005_000,
        "eviction": 1_767_270_005_000,
        "idle": False,
        "windows": {"size": 60_000, "slide": 60_000, "offset": 0},
    }


def test_progress_when_batches_had_rows_then_its_event_times_are_those_of_the_watermark(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:30:10", 0), ("12:20:10", 1))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout=None
    )

    query, _ = feed.run_query(keyed)

    first, second = [progress["eventTime"] for progress in query.recentProgress][:2]
    assert first == {
        "min": "2026-01-01T11:50:10.000Z",
        "max": "2026-01-01T12:00:10.000Z",
        "avg": "2026-01-01T11:55:10.000Z",
    }
    assert second == {
        "min": "2026-01-01T12:20:10.000Z",
        "max": "2026-01-01T12:30:10.000Z",
        "avg": "2026-01-01T12:25:10.000Z",
        "watermark": "2026-01-01T11:50:05.000Z",
    }
    assert query.lastProgress is not None
    assert query.lastProgress["eventTime"]["watermark"] >= second["watermark"]


def test_watermarks_when_the_query_failed_before_it_had_a_plan_then_the_sentence_says_so(
    spark: SparkSession,
) -> None:
    class Closed(DataSource):
        """A source that a query cannot start with."""

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:
            raise ValueError("the source is closed")

    query = started(spark, Closed)
    with pytest.raises(StreamingQueryException, match="the source is closed"):
        query.awaitTermination(120)

    with pytest.raises(AnalysisException) as error:
        tidegate.watermarks(query)

    check(
        error.value,
        "QUERY_WITHOUT_PLAN",
        "The query `Closed` has no watermarks: it failed before Spark had planned it. Its "
        "exception() tells why.",
        "55000",
    )


def test_watermarks_when_the_query_was_stopped_at_once_then_the_sentence_says_so(
    spark: SparkSession, tmp_path: Path
) -> None:
    asked, stopped = tmp_path / "asked", tmp_path / "stopped"

    # In here, as Python's workers do not find the modules of the tests.
    def wait_for(file: Path) -> None:
        while not file.exists():
            sleep(0.01)

    class Slow(DataSource):
        """A source that a query cannot start with before it is stopped."""

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:
            asked.touch()
            wait_for(stopped)
            raise ValueError("the query is stopped")

    query = started(spark, Slow)
    wait_for(asked)
    query.stop()
    stopped.touch()

    with pytest.raises(AnalysisException) as error:
        tidegate.watermarks(query)

    check(
        error.value,
        "QUERY_WITHOUT_PLAN",
        "The query `Slow` has no watermarks: it was stopped before Spark had planned it. Start it "
        "again.",
        "55000",
    )


def started(spark: SparkSession, source: type[DataSource]) -> StreamingQuery:
    """Start a query over a source, with the name of the source."""
    spark.dataSource.register(source)
    rows = spark.readStream.format(source.__name__).schema("time timestamp").load()
    keyed = tidegate.withKeyedWatermark(rows, "time", "5 seconds")
    return keyed.writeStream.queryName(source.__name__).format("noop").start()
