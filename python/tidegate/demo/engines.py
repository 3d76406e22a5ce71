"""The two ways to give a stream its watermark that the demonstration compares."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from tidegate.demo.feed import Feed


class Engine(Protocol):
    """A way to give a stream its watermark, and to ask a running query for it."""

    @property
    def name(self) -> str:
        """What the engine is called in the table and the picture."""

    def with_watermark(self, feed: Feed, rows: DataFrame) -> DataFrame:
        """Give the event-time column of a stream its watermark."""

    def watermarks(self, feed: Feed, query: StreamingQuery, batch_id: int) -> dict[int, int]:
        """Return the newest watermark known, in epoch ms, by the batch that it belongs to."""


@dataclass(frozen=True)
class SparkEngine:
    """Spark's own watermark: the maximum over all rows of the stream."""

    name: str = "Spark withWatermark"

    def with_watermark(self, feed: Feed, rows: DataFrame) -> DataFrame:
        """Call ``withWatermark``."""
        return rows.withWatermark(feed.event_time, feed.lag)

    def watermarks(self, feed: Feed, query: StreamingQuery, batch_id: int) -> dict[int, int]:
        """Read the watermark from the progress of the last finished batch."""
        progress = query.lastProgress
        watermark = progress.eventTime.get("watermark") if progress else None
        if progress is None or watermark is None:
            return {}
        millis = int(datetime.fromisoformat(watermark.replace("Z", "+00:00")).timestamp() * 1000)
        return {progress.batchId: millis} if millis > 0 else {}


@dataclass(frozen=True)
class TidegateEngine:
    """Tidegate's watermark: the minimum over the substreams that are not idle."""

    idle_timeout: str = "2 seconds"
    name: str = "Tidegate withKeyedWatermark"

    def with_watermark(self, feed: Feed, rows: DataFrame) -> DataFrame:
        """Call ``withKeyedWatermark``."""
        return tidegate.withKeyedWatermark(
            rows,
            feed.event_time,
            feed.lag,
            substream=feed.substream,
            idleTimeout=self.idle_timeout,
            name=feed.name,
        )

    def watermarks(self, feed: Feed, query: StreamingQuery, batch_id: int) -> dict[int, int]:
        """Ask the running query."""
        node = tidegate.watermarks(query).get(feed.name)
        if node is None or node["watermark"] is None:
            return {}
        return {batch_id: int(node["watermark"].timestamp() * 1000)}
