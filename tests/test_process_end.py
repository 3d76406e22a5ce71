"""A process of Python ends when its job is done, also with a compaction of RocksDB under way."""

import subprocess
import sys
from pathlib import Path

import pytest

JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
import tidegate

folder, end = sys.argv[1:]
stores = "spark.sql.streaming.stateStore."
provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
spark = (
    tidegate.configure(SparkSession.builder.master("local[2]"))
    .config("spark.sql.shuffle.partitions", 2)
    .config("spark.ui.enabled", False)
    .config("spark.driver.memory", "2g")
    .config(stores + "providerClass", provider)
    .config(stores + "rocksdb.changelogCheckpointing.enabled", True)
    # Files that are this small are merged all the time.
    .config(stores + "rocksdb.writeBufferSizeMB", 1)
    .getOrCreate()
)
rows = spark.range(1_000_000).selectExpr("id", "timestamp_seconds(1000000 + id % 3000) AS time")
rows.repartition(4).write.parquet(folder + "/rows")
counts = (
    spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 2).parquet(folder + "/rows")
    .withKeyedWatermark("time", "1 second")
    .groupBy(F.window("time", "1 hour"), "id").count()
)

def sink(batch, number):
    batch.write.format("noop").mode("append").save()
    if end == "failed" and number == 1:
        raise ValueError("the sink fails")

query = (
    counts.writeStream.foreachBatch(sink).trigger(availableNow=True)
    .option("checkpointLocation", folder + "/checkpoint").start()
)
try:
    query.awaitTermination()
except Exception:
    assert end == "failed"
print("done", flush=True)
if end == "stopped":
    spark.stop()
if end == "exit":
    sys.exit(3)
"""

TO_END = 60
"""Seconds: a process that does not end would wait for ever."""


@pytest.mark.at_night
@pytest.mark.parametrize("end", ["plain", "stopped", "exit", "failed"])
def test_process_when_its_job_is_done_then_ends(end: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", JOB, str(tmp_path), end]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "done\n"
            # Whoever waits for the pipe waits for Spark's process too.
            out, _ = process.communicate(timeout=TO_END)
        finally:
            process.kill()
    assert out == ""
    assert process.returncode == (3 if end == "exit" else 0)
