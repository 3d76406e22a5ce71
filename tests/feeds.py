"""Streams that are fed file by file."""

import json
import os
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

SCHEMA = "id long, time timestamp, partition int"


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
        return rows
