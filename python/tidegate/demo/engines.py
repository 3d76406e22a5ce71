"""The two ways to give a stream its watermark that the demonstration compares."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql.streaming.listener import StreamingQueryProgress

import tidegate
from tidegate.demo.feed import Feed

CLOCK = "tidegate_clock"
"""The source in a query's progress whose offset holds the keyed watermarks."""


class Engine(Protocol):
    """A way to give a stream its watermark, and to find it in the progress of a batch."""

    @property
    def name(self) -> str:
        """What the engine is called in the table and the picture."""

    def with_watermark(self, feed: Feed, rows: DataFrame) -> DataFrame:
        """Give the event-time column of a stream its watermark."""

    def watermark(self, feed: Feed, progress: StreamingQueryProgress) -> int | None:
        """Return the watermark of a batch in epoch ms, or None if there was none yet."""


@dataclass(frozen=True)
class SparkEngine:
    """Spark's own watermark: the maximum over all rows of the stream."""

    name: str = "Spark"

    def with_watermark(self, feed: Feed, rows: DataFrame) -> DataFrame:
        """Call ``withWatermark``."""
        return rows.withWatermark(feed.event_time, feed.lag)

    def watermark(self, feed: Feed, progress: StreamingQueryProgress) -> int | None:
        """Read Spark's watermark, which is at the epoch before the first row."""
        text = progress.eventTime.get("watermark")
        if text is None:
            return None
        millis = int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
        return millis if millis > 0 else None


@dataclass(frozen=True)
class TidegateEngine:
    """Tidegate's watermark: the minimum over the substreams that are not idle."""

    idle_timeout: str = "2 seconds"
    name: str = "Tidegate"

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

    def watermark(self, feed: Feed, progress: StreamingQueryProgress) -> int | None:
        """Read the watermark from the offset of the clock, which is one of the sources."""
        for source in progress.sources:
            if source.description == CLOCK and source.endOffset not in (None, "null"):
                watermark = json.loads(source.endOffset)["nodes"][feed.name]["watermark"]
                return None if watermark is None else int(watermark)
        return None
