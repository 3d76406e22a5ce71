"""Stateful Python functions run on a keyed watermark: their timeouts and timers follow it."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

import tidegate
from feeds import Feed

ONE_O_CLOCK_MS = 1_767_272_400_000

HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


FILES = (
    (("12:00:10", 0), ("11:50:10", 1)),
    (("12:01:10", 0), ("11:51:10", 1)),
    (("12:02:10", 0), ("11:52:10", 1)),
    (("14:00:00", 0), ("14:00:00", 1)),
)
"""Partition 1 is behind; the last rows only move the watermark past one o'clock."""


@pytest.fixture
def provider(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep state in the store that the test names."""
    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, request.param)
    yield
    assert before is not None
    spark.conf.set(PROVIDER, before)


def keyed_orders(feed: Feed) -> DataFrame:
    """Return the keyed stream, without the rows after one o'clock."""
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", substream="partition")
    return keyed.where("time < '2026-01-01 13:00:00'")


def run_at_once(feed: Feed, result: Callable[[Feed], DataFrame]) -> list[tuple[Any, ...]]:
    """Run the query once over all files."""
    for rows in FILES:
        feed.add(*rows)
    return sorted(feed.run(result(feed)))


def run_file_by_file(feed: Feed, result: Callable[[Feed], DataFrame]) -> list[tuple[Any, ...]]:
    """Stop the query after every file, and start it again on its checkpoint."""
    emitted = []
    for rows in FILES:
        feed.add(*rows)
        emitted += feed.run(result(feed))
    return sorted(emitted)


Run = Callable[[Feed, Callable[[Feed], DataFrame]], list[tuple[Any, ...]]]
RUNS = pytest.mark.parametrize("run", [run_at_once, run_file_by_file])


def counted_with_state(feed: Feed) -> DataFrame:
    """Count the rows of a partition, and emit the count at one o'clock of event time."""

    def count(
        key: tuple[Any, ...], batches: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        if state.hasTimedOut:
            (rows,) = state.get
            state.remove()
            yield pd.DataFrame({"partition": [key[0]], "rows": [rows]})
        else:
            before = state.get[0] if state.exists else 0
            state.update((before + sum(len(batch) for batch in batches),))
            state.setTimeoutTimestamp(ONE_O_CLOCK_MS)

    return (
        keyed_orders(feed)
        .groupBy("partition")
        .applyInPandasWithState(
            count,
            outputStructType="partition int, rows long",
            stateStructType="rows long",
            outputMode="append",
            timeoutConf=GroupStateTimeout.EventTimeTimeout,
        )
    )


@RUNS
@pytest.mark.parametrize("provider", [HDFS, ROCKSDB], indirect=True)
@pytest.mark.usefixtures("provider")
def test_apply_in_pandas_with_state_when_the_watermark_passes_then_the_timeout_fires(
    feed: Feed, run: Run
) -> None:
    assert run(feed, counted_with_state) == [(0, 3), (1, 3)]


def count_processor() -> StatefulProcessor:
    """Return a processor whose class travels to the workers by value, not by module name."""

    class Count(StatefulProcessor):
        """Counts the rows of a key, and emits the count at one o'clock of event time."""

        def init(self, handle: StatefulProcessorHandle) -> None:
            self.handle = handle
            self.rows = handle.getValueState("rows", "rows long")

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
        ) -> Iterator[pd.DataFrame]:
            (before,) = self.rows.get() or (0,)
            self.rows.update((before + sum(len(batch) for batch in rows),))
            self.handle.registerTimer(ONE_O_CLOCK_MS)
            return iter([])

        def handleExpiredTimer(
            self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
        ) -> Iterator[pd.DataFrame]:
            yield pd.DataFrame({"partition": [key[0]], "rows": self.rows.get()})

        def close(self) -> None:
            pass

    return Count()


def counted_with_processor(feed: Feed) -> DataFrame:
    """Count the rows of a partition with the processor."""
    return (
        keyed_orders(feed)
        .groupBy("partition")
        .transformWithStateInPandas(
            statefulProcessor=count_processor(),
            outputStructType="partition int, rows long",
            outputMode="append",
            timeMode="eventtime",
        )
    )


@RUNS
@pytest.mark.parametrize("provider", [ROCKSDB], indirect=True)
@pytest.mark.usefixtures("provider")
def test_transform_with_state_in_pandas_when_the_watermark_passes_then_the_timer_fires(
    feed: Feed, run: Run
) -> None:
    assert run(feed, counted_with_processor) == [(0, 3), (1, 3)]


def test_foreach_batch_when_it_runs_several_actions_then_the_watermark_is_the_same(
    feed: Feed,
) -> None:
    seen: list[Row] = []

    def twice(batch: DataFrame, _: int) -> None:
        batch.count()
        seen.extend(batch.collect())

    for rows in FILES:
        feed.add(*rows)
    query = (
        keyed_orders(feed)
        .groupBy("time")
        .count()
        .select("count")
        .writeStream.option("checkpointLocation", feed.checkpoint)
        .trigger(availableNow=True)
        .foreachBatch(twice)
        .start()
    )
    assert query.awaitTermination(120)

    assert [row[0] for row in seen] == [1] * 6
