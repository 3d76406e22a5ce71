"""The process with Spark: counts all topics, and joins two of them, until it is killed.

A termination signal lets it read what is there, and end.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from soak.contract import (
    AFTER_MS,
    BEFORE_MS,
    DELIVERIES,
    IDLE_BEHIND_MS,
    IDLE_TIMEOUT_MS,
    LAG_MS,
    ORDERS,
    TOPICS,
    WINDOW_MS,
    jumps,
)
from soak.samples import Sampler

COUNTS, PAIRS = "counts", "pairs"
QUERIES = (COUNTS, PAIRS)
CHECKPOINTS = "checkpoints"
SAMPLES = "samples.jsonl"
LOOK_SECONDS = 5.0
SCHEMA = "id LONG, ref LONG, time LONG"


def rows(spark: SparkSession, address: str, topic: str, limit: int) -> DataFrame:
    """Read a topic from its beginning, a limited number of rows at a time."""
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", limit)
        # At the end of a partition Spark's questions for its offsets wait behind a fetch.
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
    )
    value = F.from_json(F.col("value").cast("string"), SCHEMA).alias("value")
    parsed = records.select("topic", "partition", value).select("topic", "partition", "value.*")
    return parsed.withColumn("time", F.timestamp_millis("time"))


def keyed(stream: DataFrame, topic: str, time: str = "time", key: int = 0) -> DataFrame:
    """Give a topic its watermark: the minimum over its partitions."""
    return tidegate.withKeyedWatermark(
        stream,
        time,
        _duration(LAG_MS),
        key,
        substream=["topic", "partition"],
        idleTimeout=_duration(IDLE_TIMEOUT_MS),
        idleBehind=None if jumps(topic) else _duration(IDLE_BEHIND_MS),
        name=topic,
    )


def counts(topics: dict[str, DataFrame]) -> DataFrame:
    """Count the rows of each topic by windows; the sum tells which rows they are."""
    first, *others = (keyed(stream, topic) for topic, stream in topics.items())
    for other in others:
        first = first.unionAll(other)
    windows = first.groupBy("topic", F.window("time", _duration(WINDOW_MS)))
    return windows.agg(F.count("*").alias("rows"), F.sum("id").alias("ids")).select(
        "topic", F.unix_millis("window.start").alias("start"), "rows", "ids"
    )


def pairs(topics: dict[str, DataFrame]) -> DataFrame:
    """Find the deliveries of each order, or a null if it has none."""
    orders = topics[ORDERS].withColumnsRenamed({"ref": "order_id", "time": "order_time"})
    orders = orders.select("topic", "partition", "order_id", "order_time")
    deliveries = topics[DELIVERIES].withColumnsRenamed(
        {"ref": "order_id", "id": "delivery_id", "time": "delivery_time"}
    )
    joined = tidegate.streamJoin(
        keyed(orders, ORDERS, "order_time"),
        keyed(deliveries, DELIVERIES, "delivery_time", key=1),
        on="order_id",
        how="leftOuter",
        between=("delivery_time", "order_time", _duration(-BEFORE_MS), _duration(AFTER_MS)),
    )
    return joined.select("order_id", "delivery_id")


def start(spark: SparkSession, options: argparse.Namespace) -> Iterator[StreamingQuery]:
    """Start both queries on their checkpoints."""
    topics = {topic: rows(spark, options.address, topic, options.limit) for topic in TOPICS}
    for name, result in zip(QUERIES, (counts(topics), pairs(topics)), strict=True):
        writer = result.writeStream.queryName(name).outputMode("append").format("json")
        writer = writer.option("checkpointLocation", str(options.folder / CHECKPOINTS / name))
        writer = writer.trigger(processingTime=f"{options.trigger:g} seconds")
        yield writer.start(str(options.folder / name))


def session(options: argparse.Namespace) -> SparkSession:
    """Start Spark with little memory, so that what grows shows soon."""
    connector = sorted((options.jars / "connector").glob("*.jar"))
    # A process lives for minutes: code that is compiled quickly and little is the best for it.
    quickly = "-XX:TieredStopAtLevel=1"
    logging = (Path(tidegate.__file__).parent / "demo" / "log4j2.properties").as_uri()
    builder = (
        SparkSession.builder.appName("tidegate soak")
        .master("local[2]")
        .config("spark.jars", ",".join(str(jar) for jar in connector))
        .config("spark.driver.memory", "1g")
        .config("spark.driver.extraJavaOptions", f"{quickly} -Dlog4j2.configurationFile={logging}")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
    )
    return tidegate.configure(builder).getOrCreate()


def main(arguments: list[str]) -> int:
    """Run both queries; return 1 if one of them fails."""
    options = _parse(arguments)
    finishing = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: finishing.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    spark = session(options)
    running = list(start(spark, options))
    sampler = Sampler(spark, running, options.folder / CHECKPOINTS, options.folder / SAMPLES)
    try:
        # Without its parent nobody would stop this process.
        while os.getppid() == parent and not finishing.wait(LOOK_SECONDS):
            for query in running:
                if not query.isActive:
                    query.awaitTermination()
            sampler.sample()
        if finishing.is_set():
            for query in running:
                query.processAllAvailable()
            sampler.sample()
    except Exception as error:
        print(" ".join(str(error).split())[:1000], file=sys.stderr)
        return 1
    finally:
        spark.stop()
    return 0


def _duration(milliseconds: int) -> str:
    return f"{milliseconds} milliseconds"


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m soak.query", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--jars", type=Path, required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--trigger", type=float, default=5.0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
