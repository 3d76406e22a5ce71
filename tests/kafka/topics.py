"""Topics of a broker, as tests write and read them."""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidegate.demo.kafka.client import Client

EVENT = "id long, time timestamp"


class Topics:
    """Creates topics, writes events to them, and reads them with Spark."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        self._spark = spark
        self._client = Client(address)
        self._source = {
            "kafka.bootstrap.servers": address,
            "startingOffsets": "earliest",
            # At the end of a partition Spark's questions for its offsets wait behind a fetch.
            "kafka.fetch.max.wait.ms": "10",
        }
        self._numbers = count()

    def create(self, partitions: int, **configs: str) -> str:
        """Create a topic, and return its name; ``_`` in the name of a config stands for ``.``."""
        name = f"events-{next(self._numbers)}"
        self._client.create(name, partitions, **configs)
        return name

    def send(self, topic: str, rows: Iterable[tuple[str, int]]) -> None:
        """Write rows of a time of day, such as ``"12:00:05"``, and a partition."""
        for n, (time, partition) in enumerate(rows):
            event = {"id": n, "time": f"2026-01-01T{time}Z"}
            self._client.send(topic, partition, json.dumps(event))
        self._client.flush()

    def stream(self, topic: str, **options: Any) -> DataFrame:
        """Read the topic as a stream, from its beginning."""
        reader = self._spark.readStream.format("kafka").options(**self._source, **options)
        return _parsed(reader.option("subscribe", topic).load())

    def batch(self, topic: str) -> DataFrame:
        """Read all that the topic has."""
        reader = self._spark.read.format("kafka").options(**self._source)
        return _parsed(reader.option("subscribe", topic).load())

    def close(self) -> None:
        """Disconnect from the broker."""
        self._client.close()


def _parsed(records: DataFrame) -> DataFrame:
    event = F.from_json(F.col("value").cast("string"), EVENT).alias("event")
    source = ["topic", "partition", "timestamp"]
    return records.select(*source, event).select(*source, "event.*")
