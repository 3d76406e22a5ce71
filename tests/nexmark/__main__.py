"""Runs the queries of Nexmark as streams, compares their rows with batch, and measures.

Run it with `make bench-nexmark`, or `make bench-nexmark BENCH_ARGUMENTS="--queries q5,q9"`.
"""

import argparse
import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench import processor
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import sessions
import tidegate
from nexmark.flink import HEAP, Flink, flink
from nexmark.generate import Size, written
from nexmark.queries import ALL, Query

STREAMS = {"person": 0, "auction": 1, "bid": 2}
"""The streams, each with the key of its watermark."""

LAG = "4 seconds"
LAG_OF_SPARK = "25 seconds"
"""Spark has one watermark for all substreams, so it waits for the slow one."""

SIDES = ("tidegate", "spark", "flink")

BATCH = "_batch"
NUMBER = "_number"
"""The order of Flink's rows."""


@dataclass
class Run:
    """What a query has done."""

    rows: DataFrame
    seconds: float
    processor: float
    state: str
    """The rows of its states, or the size of a checkpoint, at their most."""


class Runner:
    """Runs queries over the streams of a folder."""

    def __init__(
        self,
        spark: SparkSession,
        data: Path,
        work: Path,
        size: Size,
        cluster: Flink | None = None,
    ) -> None:
        """Read the streams as tables, whose number of rows is that of the events."""
        self.spark, self.data, self.work, self.size = spark, data, work, size
        self.cluster = cluster
        self.tables = {name: spark.read.parquet(f"{data}/{name}") for name in STREAMS}
        side = spark.range(10_000).selectExpr("id AS key", "concat('value ', id) AS value")
        side.createOrReplaceTempView("side")
        gateway: Any = spark.sparkContext._gateway
        self.process: int = gateway.proc.pid

    def query(self, text: str, watermarked: Callable[[str, DataFrame], DataFrame] | None) -> Any:
        """Return the result of a text over the tables, or over streams with their watermarks."""
        for name, table in self.tables.items():
            if watermarked is not None:
                reader = self.spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 1)
                table = watermarked(name, reader.parquet(f"{self.data}/{name}"))
            table.createOrReplaceTempView(name)
        return self.spark.sql(text.replace("{longest}", str(self.size.longest_seconds)))

    def run(self, side: str, query: Query, text: str) -> Run:
        """Run to the end of the streams, into files."""
        if side == "flink":
            return self._flink(query, text)
        # Spark's plan, beside Tidegate's extension: without a keyed watermark nothing is changed.
        watermarked = of_tidegate if side == "tidegate" else of_spark
        return self._spark(side, query, self.query(text, watermarked))

    def _spark(self, side: str, query: Query, result: DataFrame) -> Run:
        folder = self.work / side / query.name
        shutil.rmtree(folder, ignore_errors=True)

        def write(rows: DataFrame, batch_id: int) -> None:
            numbered = rows.withColumn(BATCH, F.lit(batch_id))
            numbered.write.mode("overwrite").parquet(f"{folder}/rows/{batch_id:05}")

        writer = result.writeStream.foreachBatch(write).trigger(availableNow=True)
        writer = writer.outputMode("update" if query.keys else "append")
        writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
        began, used = time.perf_counter(), processor.seconds(self.process)
        running = writer.start()
        running.awaitTermination()
        seconds = time.perf_counter() - began
        used = processor.seconds(self.process) - used
        states = (
            sum(operator["numRowsTotal"] for operator in p["stateOperators"])
            for p in running.recentProgress
        )
        state = max(states, default=0)
        reader = self.spark.read.schema(result.withColumn(BATCH, F.lit(0)).schema)
        rows = last_rows(reader.parquet(f"{folder}/rows/*"), query.keys, BATCH)
        return Run(rows.drop(BATCH), seconds, used, f"{state:,}")

    def _flink(self, query: Query, text: str) -> Run:
        assert self.cluster is not None
        folder = self.work / "flink" / query.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        keys = query.keys or query.keys_of_flink
        seconds, used, state = self.cluster.run(text, folder, self.data, keys)
        rows = last_rows(self.spark.read.parquet(f"{folder}/rows"), keys, NUMBER)
        rows = rows.where("NOT _deleted").drop(NUMBER, "_deleted")
        return Run(rows, seconds, used, f"{state / 1e6:,.1f} MB")


def of_tidegate(name: str, stream: DataFrame) -> DataFrame:
    """Return a stream with a watermark of its own, over its substreams."""
    key = STREAMS[name]
    return tidegate.withKeyedWatermark(
        stream, "dateTime", LAG, key=key, substream=["part"], flush=True
    )


def of_spark(name: str, stream: DataFrame) -> DataFrame:
    """Return a stream with Spark's watermark."""
    return stream.withWatermark("dateTime", LAG_OF_SPARK)


def last_rows(rows: DataFrame, keys: tuple[str, ...], order: str) -> DataFrame:
    """Return the last row of each key, or all rows if there is no key."""
    last = F.max_by(F.struct(*rows.columns), order).alias("last")
    return rows.groupBy(*keys).agg(last).select("last.*") if keys else rows


def verdict(query: Query, rows: DataFrame, wanted: DataFrame, is_complete: bool) -> str:
    """Say in a word or two whether the rows of a stream are those of batch."""
    # Flink's types of numbers are not all those of Spark.
    rows = rows.select([F.col(c.name).cast(c.dataType) for c in wanted.schema])
    if query.by_clock:
        found, all_bids = (df.agg(F.sum("bids")).collect()[0][0] for df in (rows, wanted))
        return "right" if found == all_bids else f"WRONG: {found} of {all_bids} bids"
    extra, missing = rows.exceptAll(wanted).count(), wanted.exceptAll(rows).count()
    right = f"right, {rows.count():,} rows"
    if extra:
        return f"WRONG: {extra} rows too many, {missing} too few"
    if missing and is_complete:
        return f"WRONG: {missing} rows too few"
    return f"{right}, without the last {missing:,}" if missing else right


def report(runner: Runner, query: Query, sides: tuple[str, ...], rounds: int = 1) -> bool:
    """Run a query, print a line about each side, and return whether all rows are right."""
    texts = {"tidegate": query.text, "spark": query.spark, "flink": query.flink}
    runs: dict[str, list[Run]] = {side: [] for side in sides if texts[side] is not None}
    is_right = True
    for number in range(rounds):
        for side in list(runs) if number % 2 == 0 else reversed(list(runs)):
            try:
                runs[side].append(runner.run(side, query, texts[side] or ""))
            except AnalysisException as refusal:
                reason = str(refusal).splitlines()[0][:100]
                print(f"{query.name:4} {side:9} refused: {reason}", flush=True)
                del runs[side]
                is_right = is_right and side != "tidegate"
    for side, all_runs in runs.items():
        found = verdict(query, all_runs[-1].rows, runner.query(query.text, None), side != "spark")
        # The first round pays for the planning and the compiling of the query's code.
        warm = all_runs[1:] or all_runs
        seconds, used = ([getattr(r, name) for r in warm] for name in ("seconds", "processor"))
        print(
            f"{query.name:4} {side:9} {runner.size.events / min(seconds):10,.0f} events/s"
            f"  wall {least_and_median(seconds)} s  processor {least_and_median(used)} s"
            f"  state {all_runs[-1].state:>9}  {found}",
            flush=True,
        )
        is_right = is_right and not found.startswith("WRONG")
    return is_right


def least_and_median(values: list[float]) -> str:
    """Return the least and the median of values as text, or the only one."""
    least = f"{min(values):6.1f}"
    return f"{least} / {median(values):.1f}" if len(values) > 1 else least


def main() -> None:
    """Write the streams and run the queries."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rate", type=int, default=4_000, help="events in a second of their time")
    parser.add_argument("--files", type=int, default=10, help="files of each stream, and batches")
    parser.add_argument("--queries", help="such as q5,q9; all by default")
    parser.add_argument("--rounds", type=int, default=1, help="the first of several is not counted")
    parser.add_argument("--side", choices=["both", "all", *SIDES], default="both")
    parser.add_argument("--flink", type=Path, default=Path("build/flink"), help="what make built")
    parser.add_argument("--store", choices=["HDFSBacked", "RocksDB"], default="HDFSBacked")
    parser.add_argument("--data", type=Path, default=Path("build/nexmark"))
    arguments = parser.parse_args()
    size = Size(arguments.events, arguments.rate, arguments.files)
    wanted = arguments.queries.split(",") if arguments.queries else [q.name for q in ALL]
    if unknown := set(wanted) - {q.name for q in ALL}:
        parser.error(f"no queries of these names: {', '.join(sorted(unknown))}")
    states = "org.apache.spark.sql.execution.streaming.state"
    builder = sessions.builder()
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.driver.memory", HEAP)
    builder = builder.config(
        "spark.sql.streaming.stateStore.providerClass",
        f"{states}.{arguments.store}StateStoreProvider",
    )
    spark = tidegate.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    data = written(arguments.data / f"{size.events}-{size.rate}-{size.files}", size)
    sides = {"both": SIDES[:2], "all": SIDES}.get(arguments.side, (arguments.side,))
    chosen = [query for query in ALL if query.name in wanted]
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(flink(arguments.flink)) if "flink" in sides else None
        runner = Runner(spark, data, arguments.data / "runs", size, cluster)
        wrong = [q.name for q in chosen if not report(runner, q, sides, arguments.rounds)]
    spark.stop()
    if wrong:
        raise SystemExit(f"wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
