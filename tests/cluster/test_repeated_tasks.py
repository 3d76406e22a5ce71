"""Tasks that run twice: one fails and is retried, one is slow and overtaken by its copy."""

import time
from pathlib import Path

import pytest
from pyspark import TaskContext
from pyspark.sql import Column
from pyspark.sql import functions as F

import tidegate
from feeds import SCHEMA, Feed, counts
from statuses import operator_of

FAILS = "12:10:01"
SLOW = "12:10:02"

SECONDS = 60
"""How long the slow attempt would take; far longer than its copy."""


@pytest.mark.at_night
def test_tasks_when_retried_or_copied_then_each_late_row_and_each_time_counts_once(
    feed: Feed, tmp_path: Path
) -> None:
    # Two files a batch, each with a task of its own; in the third batch both are run twice.
    for second in ("12:00:10", "12:00:20"):
        feed.add((second, 0))
        feed.add((second, 1))
    feed.add((FAILS, 0), ("11:00:00", 0))
    feed.add((SLOW, 1), ("11:00:00", 1))
    feed.add(("12:20:00", 0))
    feed.add(("12:20:00", 1))
    attempts = tmp_path / "attempts"
    attempts.mkdir()
    rows = feed.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2)
    keyed = tidegate.withKeyedWatermark(
        rows.json(str(feed.folder)),
        "time",
        "5 seconds",
        substream="partition",
        idleTimeout=None,
    )

    began = time.monotonic()
    query, emitted = feed.run_query(counts(keyed.where(passes(attempts))))

    assert sorted(path.name for path in attempts.iterdir()) == [
        f"{FAILS} 0",
        f"{FAILS} 1",
        f"{SLOW} 0",
        f"{SLOW} 1",
    ]
    assert time.monotonic() - began < SECONDS, "no copy has overtaken the slow task"
    assert sorted(emitted) == [("12:00", 4), ("12:10", 2)]
    late = [
        operator.numRowsDroppedByWatermark
        for progress in query.recentProgress
        for operator in progress.stateOperators
    ]
    assert sum(late) == 2
    assert operator_of(query, "aggregate")["lateRows"] == 2


def passes(attempts: Path) -> Column:
    """Let all rows pass; the first attempt at two of them fails, or hangs."""

    @F.udf("boolean", useArrow=False)
    def check(second: str) -> bool:
        if second in (FAILS, SLOW):
            context = TaskContext.get()
            assert context is not None
            attempt = context.attemptNumber()
            (attempts / f"{second} {attempt}").touch()
            if attempt == 0 and second == FAILS:
                raise ValueError("the first attempt is made to fail")
            if attempt == 0:
                time.sleep(SECONDS)
            if second == SLOW:
                # The first attempt may be slow to come here too; it has to, before it is overtaken.
                while not (attempts / f"{SLOW} 0").exists():
                    time.sleep(0.05)
        return True

    return check(F.date_format("time", "HH:mm:ss"))
