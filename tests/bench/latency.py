"""How long after the row that closes a window its results are in the sink: Spark, Tidegate, Flink.

Tidegate closes a window in the batch that read its closing row; the side `next-batch` does so in
the next one. Run it with `make bench-latency`. All of them read a topic of one broker and write to
another one, one after the other; the times are those of Kafka.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import sessions
import tidegate
from tidegate.demo.kafka import broker
from tidegate.demo.kafka.client import Client

SIDES = ("spark", "next-batch", "tidegate", "flink")
MAIN = "tidegate.bench.FlinkLatency"
WINDOW_MS = 1000
AFTERWARDS_SECONDS = 5
PHASES = (
    "latestOffset",
    "queryPlanning",
    "walCommit",
    "addBatch",
    "commitBatch",
    "commitOffsets",
    "triggerExecution",
)


@dataclass(frozen=True)
class Load:
    """What is sent."""

    seconds: int
    warm_up: int
    rate: int
    partitions: int
    keys: int


class Sender(threading.Thread):
    """Sends rows at a steady rate; the time of a row is the moment at which it is sent."""

    def __init__(self, client: Client, topic: str, load: Load) -> None:
        super().__init__(name="sender", daemon=True)
        self._client = client
        self._topic = topic
        self._load = load

    def run(self) -> None:
        load = self._load
        began = time.monotonic()
        for n in range((load.warm_up + load.seconds) * load.rate):
            time.sleep(max(0.0, began + n / load.rate - time.monotonic()))
            text = f"k{n % load.keys},{time.time_ns() // 1_000_000}"
            self._client.send(self._topic, n % load.partitions, text)
        self._client.flush()


def records(spark: SparkSession, address: str, topic: str, stream: bool) -> DataFrame:
    """Read a topic, from its beginning."""
    reader = spark.readStream if stream else spark.read
    options = {
        "kafka.bootstrap.servers": address,
        "subscribe": topic,
        "startingOffsets": "earliest",
        "kafka.fetch.max.wait.ms": "10",
    }
    return reader.format("kafka").options(**options).load()


def counted(rows: DataFrame, side: str) -> DataFrame:
    """Count the rows by key and second, with the watermark of a side."""
    parts = F.split(F.col("value").cast("string"), ",")
    events = rows.select(
        parts[0].alias("key"), F.timestamp_millis(parts[1].cast("long")).alias("time"), "partition"
    )
    if side == "spark":
        events = events.withWatermark("time", "0 seconds")
    else:
        events = events.withKeyedWatermark("time", "0 seconds")
    windows = events.groupBy(F.window("time", f"{WINDOW_MS} milliseconds"), "key").count()
    end = F.unix_millis("window.end").cast("string")
    return windows.select(F.concat_ws(",", end, "key", "count").alias("value"))


def known(spark: SparkSession, what: str) -> list[dict[str, Any]]:
    """Return what Spark's monitoring API knows of jobs or stages."""
    context = spark.sparkContext
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urllib.request.urlopen(address) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def duration(of: dict[str, Any]) -> float:
    """Return how long a job or a stage took, in ms."""
    first, last = (
        datetime.strptime(of[moment], "%Y-%m-%dT%H:%M:%S.%f%Z")
        for moment in ("submissionTime", "completionTime")
    )
    return (last - first).total_seconds() * 1000


def jobs(spark: SparkSession, name: str) -> list[dict[str, float]]:
    """Return where the time of the jobs of a query went, in ms, of those with two stages.

    A batch that closes what its own rows close has a job for each of its stages.
    """
    stages = {stage["stageId"]: stage for stage in known(spark, "stages?status=complete")}
    found = []
    for job in known(spark, "jobs?status=succeeded"):
        done = [stages[number] for number in sorted(job["stageIds"]) if number in stages]
        if job.get("description", "").startswith(name) and len(done) == 2:
            reading, counting = done
            found.append(
                {
                    "job": duration(job),
                    "stage that reads": duration(reading),
                    "a task of it": reading["executorRunTime"] / reading["numTasks"],
                    "stage that counts and writes": duration(counting),
                    "the task of it": counting["executorRunTime"] / counting["numTasks"],
                }
            )
    return found


def print_medians(what: str, times: Sequence[Mapping[str, float]], names: Iterable[str]) -> None:
    """Print the median of each time."""
    medians = (f"{name} {statistics.median(t.get(name, 0) for t in times):.0f}" for name in names)
    print(f"  {len(times)} {what}, medians in ms: {', '.join(medians)}")


@contextmanager
def spark_query(
    spark: SparkSession, address: str, topics: tuple[str, str], side: str
) -> Iterator[None]:
    """Run the query of Spark or of Tidegate, and print where the time of a batch goes."""
    closing = "nextBatch" if side == "next-batch" else "sameBatch"
    spark.conf.set("spark.tidegate.closing", closing)
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = counted(records(spark, address, topics[0], stream=True), side).writeStream
        query = (
            writer.format("kafka")
            .option("kafka.bootstrap.servers", address)
            .option("topic", topics[1])
            .option("checkpointLocation", checkpoint)
            .queryName(side)
            .start()
        )
        yield
        batches = [dict(batch.durationMs) for batch in query.recentProgress]
        query.stop()
    print_medians("batches", batches, PHASES)
    times = jobs(spark, side)
    if times:
        print_medians("jobs", times, times[0])


@contextmanager
def flink_job(build: Path, address: str, topics: tuple[str, str]) -> Iterator[None]:
    """Run Flink's job, from the folder that `make build/flink/.ready` fills."""
    with tempfile.TemporaryDirectory() as checkpoint:
        jars = f"{build}/classes:{build}/dependency/*"
        command = ["java", "-Xmx2g", "-cp", jars, MAIN, address, *topics, checkpoint]
        with subprocess.Popen(command) as process:
            yield
            assert process.poll() is None, "Flink has failed: see above"
            process.kill()


def latencies(
    spark: SparkSession, address: str, topics: tuple[str, str], load: Load
) -> list[float]:
    """Return the latency of each result in ms, but for those of the warm-up."""
    value = F.split(F.col("value").cast("string"), ",")
    sent = records(spark, address, topics[0], stream=False).select(
        "partition", F.unix_millis("timestamp").alias("at"), value[1].cast("long").alias("time")
    )
    written = records(spark, address, topics[1], stream=False).select(
        value[0].cast("long").alias("end"), F.unix_millis("timestamp").alias("at")
    )
    rows = [(r["partition"], r["at"], r["time"]) for r in sent.collect()]
    first = min(moment for _, _, moment in rows) + load.warm_up * 1000
    last = max(moment for _, _, moment in rows)
    closed: dict[int, int] = {}
    for end in range(first // WINDOW_MS * WINDOW_MS, last, WINDOW_MS):
        # The watermark has passed when each partition has a row behind the window.
        arrivals = [
            min((at for part, at, moment in rows if part == n and moment >= end), default=None)
            for n in range(load.partitions)
        ]
        known = [at for at in arrivals if at is not None]
        if len(known) == load.partitions:
            closed[end] = max(known)
    results = [(r["end"], r["at"]) for r in written.collect()]
    return sorted(float(at - closed[end]) for end, at in results if end in closed)


def quantile(values: list[float], share: float) -> float:
    """Return the value below which a share of the values is."""
    return values[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Run the sides one after the other."""
    parser = argparse.ArgumentParser()
    broker.add_option(parser)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--rate", type=int, default=500, help="rows in a second")
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--keys", type=int, default=4)
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--flink", type=Path, default=Path("build/flink"))
    arguments = parser.parse_args()
    load = Load(
        arguments.seconds, arguments.warm_up, arguments.rate, arguments.partitions, arguments.keys
    )
    connector = ",".join(str(jar) for jar in sorted((arguments.jars / "connector").glob("*.jar")))
    folder = Path(tempfile.mkdtemp())
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        started = stack.enter_context(broker.starting(arguments.jars / "broker", folder / "broker"))
        builder = sessions.builder().config("spark.jars", connector)
        builder = builder.config("spark.ui.enabled", "true").config("spark.ui.port", "0")
        spark = tidegate.configure(builder).getOrCreate()
        stack.callback(spark.stop)
        address = started()
        client = Client(address)
        stack.callback(client.close)
        print(f"{load}, times of Kafka")
        for side in arguments.sides.split(","):
            topics = (f"sent-to-{side}", f"written-by-{side}")
            client.create(topics[0], load.partitions)
            client.create(topics[1], 1, message_timestamp_type="LogAppendTime")
            job = (
                flink_job(arguments.flink, address, topics)
                if side == "flink"
                else spark_query(spark, address, topics, side)
            )
            with job:
                sender = Sender(client, topics[0], load)
                sender.start()
                sender.join()
                time.sleep(AFTERWARDS_SECONDS)
            found = latencies(spark, address, topics, load)
            print(
                f"{side}: p50 {quantile(found, 0.5):.0f} ms, p99 {quantile(found, 0.99):.0f} ms, "
                f"min {found[0]:.0f} ms, max {found[-1]:.0f} ms; {len(found)} results"
            )


if __name__ == "__main__":
    main()
