"""A silent substream is left out, but never while there are files left to read."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

import tidegate
from feeds import TIMES, Feed, counts, times
from statuses import operator_of, watermark_of
from tidegate.testing import StreamTest


def test_backlog_when_a_substream_is_silent_in_it_then_is_no_idleness(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:10", 1))
    for minute in range(1, 6):
        feed.add((f"12:{minute:02}:10", 0))
    feed.add(("12:00:20", 1), ("12:06:10", 0))
    feed.add(("13:30:00", 0), ("13:30:00", 1))
    # Silent for longer than this in every batch, but its next rows wait to be read.
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout="1 millisecond"
    )

    with feed.running(counts(keyed)) as (query, emitted):
        query.processAllAvailable()
        rows = [emitted.next() for _ in range(7)]

    assert sorted(rows) == [("12:00", 3), *((f"12:{minute:02}", 1) for minute in range(1, 7))]


def keyed(rows: DataFrame, idle_timeout: str | None, idle_behind: str | None = None) -> DataFrame:
    return tidegate.withKeyedWatermark(
        rows,
        "time",
        "5 seconds",
        substream="partition",
        idleTimeout=idle_timeout,
        idleBehind=idle_behind,
    )


def test_substream_when_silent_for_the_timeout_then_holds_nothing_back(
    stream_test: StreamTest,
) -> None:
    query = stream_test.start(counts(keyed(stream_test.input("rows", TIMES), "1 minute")))
    stream_test.feed("rows", times(("12:00:10", 0), ("12:00:10", 1)))
    stream_test.feed("rows", times(("12:30:10", 0)))

    stream_test.advance("59999 milliseconds")
    query.assertEmitted([])
    stream_test.advance("1 millisecond")

    query.assertEmitted([("12:00", 2)])
    assert watermark_of(query.streamingQuery, "time")["substreams"]["1"]["idle"]


def test_substream_when_silent_and_the_timeout_is_none_then_holds_for_ever(
    stream_test: StreamTest,
) -> None:
    query = stream_test.start(counts(keyed(stream_test.input("rows", TIMES), None)))
    stream_test.feed("rows", times(("12:00:10", 0), ("12:00:10", 1)))
    stream_test.feed("rows", times(("12:30:10", 0)))

    stream_test.advance("1000 days")
    query.assertEmitted([])
    stream_test.feed("rows", times(("12:40:10", 0), ("12:40:10", 1)))

    query.assertEmitted([("12:00", 2), ("12:30", 1)])


def test_substream_when_silent_behind_the_others_and_they_wait_for_it_then_loses_no_row(
    stream_test: StreamTest,
) -> None:
    rows = stream_test.input("rows", TIMES)
    query = stream_test.start(counts(keyed(rows, "1 minute", "1 hour")))
    stream_test.feed("rows", times(("12:00:10", 0), ("12:00:10", 1)))
    stream_test.feed("rows", times(("12:30:10", 0)))

    stream_test.advance("30 minutes")
    query.assertEmitted([])
    stream_test.feed("rows", times(("12:00:20", 1), ("12:45:10", 1)))

    query.assertEmitted([("12:00", 3), ("12:30", 1)])
    assert query.late() == []


def test_simple_reader_when_each_read_finds_rows_then_silence_does_not_count(
    spark: SparkSession, feed: Feed
) -> None:
    spark.dataSource.register(_reads())
    keyed = tidegate.withKeyedWatermark(
        spark.readStream.format("reads").load(),
        "time",
        "5 seconds",
        substream="partition",
        idleTimeout="1 millisecond",
    )

    with feed.running(counts(keyed)) as (query, emitted):
        query.processAllAvailable()
        closed = sorted([emitted.next(), emitted.next()])
        late = operator_of(query, "aggregate")["lateRows"]

    assert closed == [("12:00", 3), ("12:10", 1)]
    assert late == 0


def _reads() -> type[DataSource]:
    """Return a source whose reader finds the rows of one minute at a time, and then no more."""

    # Spark sends classes of a function to its workers, which do not have this module.
    class Reader(SimpleDataSourceStreamReader):
        reads = (
            (("12:00:10", 0), ("12:00:10", 1)),
            (("12:10:10", 0),),
            (("12:20:10", 0),),
            (("12:00:20", 1), ("12:30:10", 1)),
        )

        def initialOffset(self) -> dict[str, int]:
            return {"read": 0}

        def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[Any, ...]], dict[str, int]]:
            at = start["read"]
            rows = self.reads[at] if at < len(self.reads) else ()
            times = [(datetime.fromisoformat(f"2026-01-01T{time}+00:00"), p) for time, p in rows]
            return iter(times), {"read": at + (1 if times else 0)}

        def readBetweenOffsets(
            self, start: dict[str, int], end: dict[str, int]
        ) -> Iterator[tuple[Any, ...]]:
            for at in range(start["read"], end["read"]):
                yield from self.read({"read": at})[0]

        def commit(self, end: dict[str, int]) -> None:
            pass

    class Reads(DataSource):
        @classmethod
        def name(cls) -> str:
            return "reads"

        def schema(self) -> str:
            return "time timestamp, partition int"

        def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:
            return Reader()

    return Reads
