"""The two queries over the topic, side by side: each with an engine's watermark."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery

from tidegate.demo.engines import Engine
from tidegate.demo.kafka.feed import TopicFeed

TRIGGER = "1 second"

Offsets = dict[int, int]
"""By partition."""


@dataclass
class CountQuery:
    """A running windowed count of the topic, whose windows go to a table in memory."""

    engine: Engine
    feed: TopicFeed
    query: StreamingQuery
    spark: SparkSession
    windows: dict[int, int] = field(default_factory=dict)
    """The emitted counts, by the start of the window in epoch ms."""

    watermark: int | None = None
    """The watermark of the last batch, in epoch ms."""

    read: Offsets = field(default_factory=dict)
    """How many rows of each partition were read."""

    reported: Offsets = field(default_factory=dict)
    """How many rows each partition has, as the source said for the last batch."""

    batch: int = -1
    _seen: str = ""

    @classmethod
    def start(
        cls, spark: SparkSession, feed: TopicFeed, engine: Engine, folder: Path
    ) -> "CountQuery":
        """Start to count the windows of the topic."""
        counts = feed.counts(engine.with_watermark(feed, feed.stream(spark)))
        table = f"{feed.name}_{engine.name}".lower()
        writer = counts.writeStream.format("memory").queryName(table).outputMode("append")
        writer = writer.option("checkpointLocation", str(folder / table))
        return cls(engine, feed, writer.trigger(processingTime=TRIGGER).start(), spark)

    def observe(self) -> None:
        """Read the progress of the last batch; raise the error of the query if it has failed."""
        if not self.query.isActive:
            self.query.awaitTermination()
        progress = self.query.lastProgress
        if progress is not None and progress.timestamp != self._seen:
            self._seen, self.batch = progress.timestamp, progress.batchId
            self._take_in(progress)

    def _take_in(self, progress: StreamingQueryProgress) -> None:
        watermark = self.engine.watermark(self.feed, progress)
        self.watermark = self.watermark if watermark is None else watermark
        for source in progress.sources:
            self.read = offsets(source.endOffset, self.feed.path) or self.read
            self.reported = offsets(source.latestOffset, self.feed.path) or self.reported
        rows = self.spark.table(self.query.name).collect()
        self.windows = {row["start"]: row["count"] for row in rows}


def offsets(text: str | None, topic: str) -> Offsets:
    """Read an offset of the Kafka source; that of another source gives an empty result."""
    found = json.loads(text) if text else None
    partitions = found.get(topic) if isinstance(found, dict) else None
    return {int(partition): offset for partition, offset in (partitions or {}).items()}
