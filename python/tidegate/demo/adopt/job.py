"""A job of Structured Streaming that knows nothing of Tidegate: it counts the orders of a topic.

Run it with ``spark-submit job.py ADDRESS TOPIC ROWS_PER_TRIGGER CHECKPOINT OUTPUT``.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)


class Report(StreamingQueryListener):
    """Prints the progress of each batch as a line of JSON."""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Print nothing."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Print what a batch has done."""
        print(event.progress.json, flush=True)

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Print nothing."""


def main(address: str, topic: str, rows_per_trigger: str, checkpoint: str, output: str) -> None:
    """Count orders in windows of ten seconds, until the process is stopped."""
    spark = SparkSession.builder.appName("orders").getOrCreate()
    spark.streams.addListener(Report())
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", rows_per_trigger)
        .load()
    )
    order = F.from_json(F.col("value").cast("string"), "order_id LONG, order_time TIMESTAMP")
    counts = (
        records.select(order.alias("order"))
        .select("order.*")
        .withWatermark("order_time", "5 seconds")
        .groupBy(F.window("order_time", "10 seconds"))
        .count()
    )
    query = (
        counts.select("window.start", "window.end", "count")
        .writeStream.format("parquet")
        .outputMode("append")
        .option("path", output)
        .option("checkpointLocation", checkpoint)
        .trigger(processingTime="1 second")
        .start()
    )
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
