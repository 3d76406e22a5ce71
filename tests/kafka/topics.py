"""Topics of a broker, through the clients that are among the jars of Spark's connector."""

import json
from collections.abc import Iterable
from itertools import count
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

EVENT = "id long, time timestamp"


class Topics:
    """Creates topics, writes events to them, and reads them with Spark."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        assert spark._jvm is not None
        self._spark = spark
        self._kafka: Any = spark._jvm.org.apache.kafka.clients
        self._java: Any = spark._jvm.java
        settings = self._java.util.HashMap({"bootstrap.servers": address})
        self._source = {
            "kafka.bootstrap.servers": address,
            "startingOffsets": "earliest",
            # At the end of a partition Spark's questions for its offsets wait behind a fetch.
            "kafka.fetch.max.wait.ms": "10",
        }
        self._numbers = count()
        self._admin = self._kafka.admin.Admin.create(settings)
        text = spark._jvm.org.apache.kafka.common.serialization.StringSerializer
        # A broker that is not yet the leader of a new partition refuses the first of two requests,
        # and may accept the second: then the first is out of order for ever, until it expires.
        settings["max.in.flight.requests.per.connection"] = "1"
        self._producer = self._kafka.producer.KafkaProducer(settings, text(), text())

    def create(self, partitions: int, **configs: str) -> str:
        """Create a topic, and return its name; ``_`` in the name of a config stands for ``.``."""
        name = f"events-{next(self._numbers)}"
        dotted = {key.replace("_", "."): value for key, value in configs.items()}
        optional = self._java.util.Optional
        topic = self._kafka.admin.NewTopic(name, optional.of(partitions), optional.empty())
        self._admin.createTopics([topic.configs(dotted)]).all().get()
        return name

    def send(self, topic: str, rows: Iterable[tuple[str, int]]) -> None:
        """Write rows of a time of day, such as ``"12:00:05"``, and a partition."""
        record = self._kafka.producer.ProducerRecord
        sent = [
            self._producer.send(
                record(topic, partition, None, json.dumps({"id": n, "time": f"2026-01-01T{time}Z"}))
            )
            for n, (time, partition) in enumerate(rows)
        ]
        for future in sent:
            future.get()

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
        self._producer.close()
        self._admin.close()


def _parsed(records: DataFrame) -> DataFrame:
    event = F.from_json(F.col("value").cast("string"), EVENT).alias("event")
    source = ["topic", "partition", "timestamp"]
    return records.select(*source, event).select(*source, "event.*")
