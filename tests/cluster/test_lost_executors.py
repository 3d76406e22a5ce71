"""Executors are lost amid a batch and between two: their tasks run again, elsewhere."""

import os
import signal
import subprocess
from datetime import datetime
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from feeds import Feed, counts
from statuses import operator_of

LAGGING = 1

BETWEEN = 9
"""The batch after which an executor is lost."""


def test_executors_when_they_are_lost_then_time_ascends_and_no_row_is_lost(
    feed: Feed, tmp_path: Path
) -> None:
    emitted: list[tuple[str, int]] = []
    times: list[datetime] = []
    lost: list[int] = []
    for minute in range(12, 18):
        feed.add((f"12:{minute}:10", 0), (f"12:{minute - 10:02}:10", LAGGING))
        feed.add((f"12:{minute}:50", 0))
    expected = sorted(tuple(row) for row in counts(feed.batch()).collect())
    feed.add(("14:00:00", 0), ("14:00:00", LAGGING))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout=None
    )

    def collect(batch: DataFrame, number: int) -> None:
        emitted.extend(tuple(row) for row in batch.collect())
        [query] = feed.spark.streams.active
        watermark = tidegate.watermarks(query)["time"]["watermark"]
        if watermark is not None:
            times.append(watermark)
        if number == BETWEEN:
            lost.append(executors(feed.spark)[0])
            os.kill(lost[0], signal.SIGKILL)

    query = (
        counts(keyed.where(passes(tmp_path / "killed")))
        .writeStream.option("checkpointLocation", feed.checkpoint)
        .foreachBatch(collect)
        .start()
    )
    try:
        query.processAllAvailable()
        late = operator_of(query, "aggregate")["lateRows"]
    finally:
        query.stop()

    assert (tmp_path / "killed").exists(), "no executor was lost amid a batch"
    assert lost, "no executor was lost between two batches"
    assert sorted(emitted) == expected
    assert late == 0
    assert times == sorted(times)
    assert len(set(times)) > 1


def passes(marker: Path) -> Column:
    """Let all rows pass; the first task that comes to one at 12:14:50 loses its executor."""

    @F.udf("boolean", useArrow=False)
    def check(time: str) -> bool:
        if time == "12:14:50" and not marker.exists():
            marker.touch()
            # The parent is the daemon of Python workers, and its parent is the executor.
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
        return True

    return check(F.date_format("time", "HH:mm:ss"))


def executors(spark: SparkSession) -> list[int]:
    """Find the processes of the executors."""
    listed = subprocess.run(["ps", "axww", "-o", "pid,args"], capture_output=True, text=True).stdout
    own = f"--app-id {spark.sparkContext.applicationId}"
    return [
        int(line.split()[0])
        for line in listed.splitlines()
        if own in line and "CoarseGrainedExecutorBackend" in line
    ]
