"""Tables of a library that are written commit by commit and read as streams."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate

LAGGING = [
    [("a", 1, "12:00:10"), ("b", 2, "11:50:10")],
    [("a", 3, "12:01:10"), ("a", 4, "12:01:50"), ("b", 5, "11:51:10")],
    [("a", 6, "12:02:10"), ("b", 7, "11:52:10")],
    [("a", 8, "13:30:00"), ("b", 9, "13:30:00")],
]
"""Shop, number and time of day. Shop b runs ten minutes behind; two rows an hour later are last."""

CLOSED = "time < '2026-01-01 13:00:00'"
"""The rows in windows that those two rows complete."""


@dataclass
class Lake:
    """The tables of a test."""

    spark: SparkSession
    namespace: str
    folder: Path

    @staticmethod
    def empty(spark: SparkSession, namespace: str, folder: Path) -> "Lake":
        """Return a schema without tables."""
        spark.sql(f"CREATE SCHEMA IF NOT EXISTS {namespace}")
        # Not by CASCADE, which Iceberg ignores.
        for table in spark.sql(f"SHOW TABLES IN {namespace}").collect():
            if not table["isTemporary"]:
                spark.sql(f"DROP TABLE {namespace}.{table['tableName']}")
        return Lake(spark, namespace, folder)

    @property
    def format(self) -> str:
        """The name of the format in SQL."""
        return "iceberg" if self.namespace.startswith("lake") else "delta"

    def name(self, table: str) -> str:
        """Return the full name of a table."""
        return f"{self.namespace}.{table}"

    def create(self, table: str, columns: str, more: str = "") -> str:
        """Make an empty table, and return its full name."""
        name = self.name(table)
        self.spark.sql(f"CREATE TABLE {name} ({columns}) USING {self.format} {more}")
        return name

    def events(self, commits: int = 0) -> str:
        """Make a table of events, with so many of the commits."""
        name = self.create("events", "shop STRING, id BIGINT, time TIMESTAMP")
        for rows in LAGGING[:commits]:
            self.append(name, rows)
        return name

    def append(self, name: str, rows: list[tuple[str, int, str]]) -> None:
        """Add one commit."""
        values = ", ".join(f"('{s}', {i}, TIMESTAMP '2026-01-01 {at}')" for s, i, at in rows)
        self.spark.sql(f"INSERT INTO {name} VALUES {values}")

    def stream(self, name: str) -> DataFrame:
        """Read a table as a stream."""
        return self.spark.readStream.table(name)

    def keyed(self, name: str, column: str = "time", key: int = 0) -> DataFrame:
        """Read a table as a stream with a keyed watermark."""
        rows = self.stream(name)
        return tidegate.withKeyedWatermark(rows, column, "0 seconds", key, substream="shop")

    def write(self, rows: DataFrame, name: str) -> None:
        """Run a query into a table until it has read everything, and look at the table anew."""
        checkpoint = str(self.folder / "checkpoint-of-writes")
        writer = rows.writeStream.option("checkpointLocation", checkpoint)
        query = writer.format(self.format).trigger(availableNow=True).toTable(name)
        try:
            assert query.awaitTermination(120), "the query did not end"
        finally:
            query.stop()
        # A query has a session of its own, and Iceberg caches tables by session.
        self.spark.catalog.refreshTable(name)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, sorted."""
        return sorted(tuple(row) for row in self.spark.sql(statement).collect())

    def windows(self, name: str, size: str = "1 minute", slide: str | None = None) -> list[Any]:
        """Count the complete windows of a table as Spark's batch does."""
        closed = self.spark.table(name).where(CLOSED)
        counted = closed.groupBy(F.window("time", size, slide)).count()
        rows = counted.select(F.date_format("window.start", "HH:mm"), "count").collect()
        return sorted(tuple(row) for row in rows)
