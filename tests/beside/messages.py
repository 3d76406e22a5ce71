"""Messages of a topic as a producer with a schema registry writes them."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
SCHEMA = "topic STRING, partition INT, value BINARY"

LAGGING = [
    [(0, 10), (1, -590)],
    [(0, 70), (0, 100), (1, -530)],
    [(0, 130), (1, -470)],
    [(0, 5400), (1, 5400)],
]
"""Partition, and seconds after noon. Partition 1 is ten minutes behind; the last rows end it."""


def times() -> list[tuple[datetime]]:
    """Return the times of all messages but those of the last batch."""
    return [(at(second),) for rows in LAGGING[:-1] for _, second in rows]


def at(second: int) -> datetime:
    """Return the time that many seconds after noon."""
    return START + timedelta(seconds=second)


def header(schema: int) -> bytes:
    """Return what stands before the body of Avro: the magic byte, and the number of the schema."""
    return b"\x00" + schema.to_bytes(4, "big")


class Topic:
    """A folder of files that stands for a topic: its rows have the columns of Kafka's."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder

    def add(self, messages: list[tuple[int, bytes | None]]) -> None:
        """Add a batch of messages, each with its partition."""
        rows = [("orders", n, None if v is None else bytearray(v)) for n, v in messages]
        frame = self.spark.createDataFrame(rows, SCHEMA).coalesce(1)
        frame.write.mode("append").parquet(str(self.folder))

    def stream(self) -> DataFrame:
        """Read the messages."""
        return self.spark.readStream.schema(SCHEMA).parquet(str(self.folder))

    def batch(self, rows: list[tuple[Any, ...]]) -> DataFrame:
        """Return times as a table."""
        return self.spark.createDataFrame(rows, "order_time TIMESTAMP")
