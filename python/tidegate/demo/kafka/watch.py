"""Watches the two queries, and tells when they are done."""

import time
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import tidegate
from tidegate.demo.compare import compare
from tidegate.demo.kafka.log import LAG_SECONDS, Log
from tidegate.demo.kafka.queries import CountQuery
from tidegate.demo.kafka.snapshot import Snapshot, Watermark, holder, partitions, unread

LAG = timedelta(seconds=LAG_SECONDS)


class Watch:
    """Gathers the state of both queries."""

    def __init__(self, log: Log, tide: CountQuery, spark: CountQuery) -> None:
        """Watch a query with a keyed watermark, and one with Spark's own."""
        self._log = log
        self._tide = tide
        self._spark = spark
        self._last_window = log.whole().last_window
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started

    @property
    def finished(self) -> bool:
        """Whether both queries have emitted the last window."""
        return all(
            self._last_window in query.windows and (query.watermark or 0) > self._last_window
            for query in (self._tide, self._spark)
        )

    def snapshot(self) -> Snapshot:
        """Look at both queries."""
        self._tide.observe()
        self._spark.observe()
        seen = unread(range(self._log.partitions))
        waits_for, dropped = "the first rows", 0
        if self._tide.batch >= 0:
            told = tidegate.watermarks(self._tide.query)
            times: Mapping[str, Any] = told[self._tide.feed.name]
            topic = self._tide.feed.path
            seen = partitions(topic, times, LAG, self._tide.read, self._tide.reported)
            waits_for = holder(topic, times)
            dropped = sum(n["lateRows"] for n in told.values() if n["kind"] == "operator")
        return Snapshot(
            self.seconds,
            self._tide.batch,
            len(self._log.rows) + len(self._log.end),
            seen,
            (
                self._row(self._tide, waits_for, dropped),
                self._row(self._spark, "nothing", self._dropped_by_spark()),
            ),
        )

    def _row(self, query: CountQuery, waits_for: str, dropped: int) -> Watermark:
        return Watermark(
            query.engine.name, _utc(query.watermark), waits_for, len(query.windows), dropped
        )

    def _dropped_by_spark(self) -> int:
        """Count the rows that were read and that closed windows lack.

        Spark's own number counts windows, not rows: it is taken after the partial aggregation.
        """
        query = self._spark
        return compare(self._log.expected(query.read), query.windows, query.watermark).rows_dropped


def _utc(epoch_ms: int | None) -> datetime | None:
    return None if epoch_ms is None else datetime.fromtimestamp(epoch_ms / 1000, timezone.utc)
