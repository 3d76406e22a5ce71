"""Streams that are fed file by file."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

SCHEMA = "id long, time timestamp, partition int"

TIMES = "time timestamp, partition int"
"""The columns of `times`, for an input of a `StreamTest`."""


def times(*rows: tuple[str, int]) -> list[tuple[str, int]]:
    """Return rows of a time of day, such as ``"12:00:05"``, and a partition, for an input."""
    return [(f"2026-01-01 {time}", partition) for time, partition in rows]


def counts(rows: DataFrame, column: str = "time") -> DataFrame:
    """Count the rows of each minute, named by its start."""
    window: Column = F.window(column, "1 minute")
    counted = rows.groupBy(window).count()
    return counted.select(F.date_format("window.start", "HH:mm"), "count")


class Feed:
    """A folder of JSON files that is read as a stream, one file per batch."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.files = 0
        self.checkpoint = str(folder) + "-checkpoint"

    def add(self, *rows: tuple[str, int]) -> None:
        """Add a file with rows of a time of day, such as ``"12:00:05"``, and a partition."""
        path = self.folder / f"{self.files:04d}.json"
        lines = [
            json.dumps({"id": n, "time": f"2026-01-01T{time}Z", "partition": partition})
            for n, (time, partition) in enumerate(rows)
        ]
        path.write_text("\n".join(lines))
        # Files are read in the order of their modification times.
        os.utime(path, (1_767_225_600 + self.files, 1_767_225_600 + self.files))
        self.files += 1

    def batch(self) -> DataFrame:
        """Read all files at once."""
        return self.spark.read.schema(SCHEMA).json(str(self.folder))

    def stream(self) -> DataFrame:
        """Read the files one after the other."""
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.folder))

    def run(self, result: DataFrame, output_mode: str = "append") -> list[tuple[Any, ...]]:
        """Read what is there as a stream, and return the rows that come out in their order."""
        return self.run_query(result, output_mode)[1]

    def run_query(
        self, result: DataFrame, output_mode: str = "append"
    ) -> tuple[StreamingQuery, list[tuple[Any, ...]]]:
        """Run as :meth:`run` does, and return the ended query too."""
        rows: list[tuple[Any, ...]] = []

        def collect(batch: DataFrame, _: int) -> None:
            rows.extend(tuple(row) for row in batch.collect())

        query = (
            result.writeStream.outputMode(output_mode)
            .option("checkpointLocation", self.checkpoint)
            .trigger(availableNow=True)
            .foreachBatch(collect)
            .start()
        )
        try:
            assert query.awaitTermination(120), "the query did not end"
        finally:
            query.stop()
        return query, rows

    @contextmanager
    def running(self, result: DataFrame) -> Iterator[tuple[StreamingQuery, "Emitted"]]:
        """Keep a query running, and give the rows that it emits."""
        emitted = Emitted()
        query = (
            result.writeStream.option("checkpointLocation", self.checkpoint)
            .foreachBatch(emitted.collect)
            .start()
        )
        try:
            yield query, emitted
        finally:
            query.stop()


class Emitted:
    """The rows that a running query has emitted and that were not asked for yet."""

    def __init__(self) -> None:
        self._rows: SimpleQueue[tuple[Any, ...]] = SimpleQueue()

    def collect(self, batch: DataFrame, _: int) -> None:
        for row in batch.collect():
            self._rows.put(tuple(row))

    def next(self) -> tuple[Any, ...]:
        """Return the next row, as soon as there is one."""
        return self._rows.get(timeout=120)

    def all(self) -> list[tuple[Any, ...]]:
        """Return the rows that are there."""
        return [self._rows.get() for _ in range(self._rows.qsize())]
