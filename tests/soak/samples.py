"""What is measured: heap, state, offsets, time of batches and watermarks, as lines of JSON."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import tidegate

HEAP_SECONDS = 20.0


@dataclass(frozen=True)
class Sample:
    """A look at one query. What was not measured is None."""

    time: float
    query: str
    process: int
    batch: int
    batch_ms: float | None
    """The median of the batches with rows since the look before."""

    state_rows: int
    state_bytes: int
    offset_bytes: int
    lag_ms: float | None
    """How far the lowest watermark is behind the clock on the wall."""

    substreams: int
    idle: int
    late_rows: int
    """Since the start of this process."""

    heap_bytes: int | None
    """Used after a full collection, by the whole process."""


class Sampler:
    """Looks at the queries of this process."""

    def __init__(
        self, spark: SparkSession, queries: list[StreamingQuery], checkpoints: Path, path: Path
    ) -> None:
        """Append to a file."""
        self._jvm: Any = spark.sparkContext._jvm
        self._queries = queries
        self._checkpoints = checkpoints
        self._path = path
        self._seen = {query.name: -1 for query in queries}
        self._heap_at = 0.0

    def sample(self) -> None:
        """Look at each query that has done a batch since the last look."""
        found = [sample for query in self._queries if (sample := self._look(query))]
        with self._path.open("a") as file:
            file.writelines(json.dumps(asdict(sample)) + "\n" for sample in found)

    def _look(self, query: StreamingQuery) -> Sample | None:
        seen = self._seen[query.name]
        progress = [p for p in query.recentProgress if p.batchId > seen]
        if not progress:
            return None
        with_rows = [p for p in progress if p.numInputRows > 0]
        last = progress[-1]
        self._seen[query.name] = last.batchId
        nodes = tidegate.watermarks(query)
        marks = [node for node in nodes.values() if node["kind"] == "watermark"]
        active = [node for node in marks if not node["idle"]]
        times = [node["watermark"] for node in active or marks]
        substreams = [s for node in marks for s in node["substreams"].values()]
        return Sample(
            time=time.time(),
            query=query.name,
            process=os.getpid(),
            batch=last.batchId,
            batch_ms=median(p.batchDuration for p in with_rows) if with_rows else None,
            state_rows=sum(state.numRowsTotal for state in last.stateOperators),
            state_bytes=sum(state.memoryUsedBytes for state in last.stateOperators),
            offset_bytes=self._offset_bytes(query.name),
            lag_ms=_lag_ms(times),
            substreams=len(substreams),
            idle=sum(substream["idle"] for substream in substreams),
            late_rows=sum(n["lateRows"] for n in nodes.values() if n["kind"] == "operator"),
            heap_bytes=self._heap(),
        )

    def _offset_bytes(self, name: str) -> int:
        files = (self._checkpoints / name / "offsets").iterdir()
        newest = max((file for file in files if file.name.isdigit()), key=lambda f: int(f.name))
        return newest.stat().st_size

    def _heap(self) -> int | None:
        """Collect now and then: only what is left says whether something grows."""
        if time.monotonic() - self._heap_at < HEAP_SECONDS:
            return None
        self._heap_at = time.monotonic()
        self._jvm.java.lang.System.gc()
        memory = self._jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
        return int(memory.getHeapMemoryUsage().getUsed())


def read(path: Path) -> Iterator[Sample]:
    """Read the samples; a line that a kill has cut off is left out."""
    if not path.exists():
        return
    for line in path.read_text().splitlines():
        try:
            yield Sample(**json.loads(line))
        except (ValueError, TypeError):
            continue


def _lag_ms(times: list[datetime | None]) -> float | None:
    known = [at.timestamp() for at in times if at is not None]
    if not known or len(known) < len(times):
        return None
    return 1000 * (time.time() - min(known))
