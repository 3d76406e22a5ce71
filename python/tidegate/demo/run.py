"""Runs the windowed count of a feed as a streaming query, until it emits the last window."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tidegate.demo.compare import Expected
from tidegate.demo.engines import Engine
from tidegate.demo.feed import Feed

SETTLED_SECONDS = 5.0
"""With all rows read and no batch for so long, no more windows are expected."""


@dataclass
class Outcome:
    """The results of one query: two times in seconds since its start, all others in epoch ms."""

    engine: str
    windows: dict[int, int] = field(default_factory=dict)
    watermarks: dict[int, int] = field(default_factory=dict)
    first_window: float | None = None
    last_window: float | None = None

    @property
    def watermark(self) -> int | None:
        """The last watermark, or None if there never was one."""
        return self.watermarks[max(self.watermarks)] if self.watermarks else None


def run(
    spark: SparkSession,
    feed: Feed,
    engine: Engine,
    expected: Expected,
    say: Callable[[str], None],
    timeout: float = 600.0,
) -> Outcome:
    """Count the windows of a feed as a stream.

    The query is stopped when it has emitted the last window that is expected, when all rows are
    read and nothing has happened for a while, or after `timeout` seconds. `say` gets a line for
    each batch.
    """
    started = time.monotonic()
    outcome = Outcome(engine.name)
    batches = _Batches(feed, engine, expected, outcome, started, say)
    counts = feed.counts(engine.with_watermark(feed, feed.stream(spark)))
    query = counts.writeStream.outputMode("append").foreachBatch(batches.collect).start()
    batches.query = query
    try:
        while not batches.finished() and time.monotonic() - started < timeout:
            # A query that fails raises its error here.
            if query.awaitTermination(1):
                break
        batches.observe()
    finally:
        query.stop()
    return outcome


@dataclass
class _Batches:
    """Collects the batches of one query while it runs."""

    feed: Feed
    engine: Engine
    expected: Expected
    outcome: Outcome
    started: float
    say: Callable[[str], None]
    query: StreamingQuery | None = None
    last_id: int = -1
    last_at: float = 0.0

    def collect(self, batch: DataFrame, batch_id: int) -> None:
        """Take the windows that one batch emits."""
        emitted = batch.collect()
        self.last_id, self.last_at = batch_id, time.monotonic() - self.started
        for row in emitted:
            self.outcome.windows[row["start"]] = row["count"]
        if emitted:
            self.outcome.last_window = self.last_at
            if self.outcome.first_window is None:
                self.outcome.first_window = self.last_at
        self.say(self._progress())

    def observe(self) -> None:
        """Note the watermarks of all batches."""
        assert self.query is not None
        for progress in self.query.recentProgress:
            watermark = self.engine.watermark(self.feed, progress)
            if watermark is not None:
                self.outcome.watermarks[progress.batchId] = watermark

    def finished(self) -> bool:
        """Tell whether no more windows are expected, and the last batch is reported."""
        assert self.query is not None
        last = self.query.lastProgress
        if last is None or last.batchId < self.last_id:
            return False
        if self.expected.last_window in self.outcome.windows:
            return True
        read = sum(progress.numInputRows for progress in self.query.recentProgress)
        quiet = time.monotonic() - self.started - self.last_at
        return read >= self.expected.rows_in_files and quiet > SETTLED_SECONDS

    def _progress(self) -> str:
        return (
            f"{self.feed.name}, {self.engine.name}: {self.last_at:5.1f} s, "
            f"batch {self.last_id + 1}, {len(self.outcome.windows):,} windows out"
        )
