"""The topic of the demonstration, as rows in batch and as a stream."""

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tidegate.demo.feed import Feed


@dataclass(frozen=True)
class TopicFeed(Feed):
    """A topic on a broker; ``path`` is its name."""

    substream: tuple[str, ...] = ("topic", "partition")
    address: str = ""
    rows_per_trigger: int = 1000

    def batch(self, spark: SparkSession) -> DataFrame:
        """Read all that the topic has."""
        reader = spark.read.format("kafka").options(**self._options())
        return self._parsed(reader.load())

    def stream(self, spark: SparkSession) -> DataFrame:
        """Read the topic from its beginning, a limited number of rows at a time."""
        reader = spark.readStream.format("kafka").options(**self._options())
        return self._parsed(reader.option("maxOffsetsPerTrigger", self.rows_per_trigger).load())

    def _options(self) -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": self.address,
            "subscribe": self.path,
            "startingOffsets": "earliest",
        }

    def _parsed(self, records: DataFrame) -> DataFrame:
        schema = f"order_id LONG, {self.event_time} TIMESTAMP"
        value = F.from_json(F.col("value").cast("string"), schema).alias("value")
        return records.select("topic", "partition", value).select("topic", "partition", "value.*")
