"""One stream of the demonstration: where its files are and how it is counted."""

from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

BATCHES = 24
"""A stream has at least so many batches: a watermark moves between batches."""


@dataclass(frozen=True)
class Feed:
    """A set of files that is read as a stream, and the windowed count over it."""

    name: str
    path: str
    event_time: str
    substream: tuple[str, ...] = ("partition",)
    format: str = "parquet"
    lag: str = "5 seconds"
    window: str = "10 seconds"
    end_marker: datetime | None = None
    """The time of additional rows that only close the windows of all others."""

    def batch(self, spark: SparkSession) -> DataFrame:
        """Read all files at once."""
        return self._timed(self._files(spark))

    def stream(self, spark: SparkSession) -> DataFrame:
        """Read the files one batch after the other, oldest first."""
        files = self._files(spark)
        reader = spark.readStream.format(self.format).schema(files.schema)
        reader = reader.option("header", True).option("maxFilesPerTrigger", self.per_batch(files))
        return self._timed(reader.load(self.path))

    def per_batch(self, files: DataFrame) -> int:
        """Return how many files one batch of the stream reads."""
        return max(1, len(files.inputFiles()) // BATCHES)

    def counts(self, rows: DataFrame) -> DataFrame:
        """Count the rows of each window; its bounds are in epoch milliseconds."""
        window = F.window(self.event_time, self.window).alias("window")
        start, end = _millis("window.start", "start"), _millis("window.end", "end")
        return rows.groupBy(window).count().select(start, end, "count")

    def without_markers(self, rows: DataFrame) -> DataFrame:
        """Leave out the end markers."""
        if self.end_marker is None:
            return rows
        return rows.where(F.col(self.event_time) < F.lit(self.end_marker))

    def _files(self, spark: SparkSession) -> DataFrame:
        reader = spark.read.format(self.format).option("header", True)
        if self.format == "csv":
            reader = reader.option("inferSchema", True)
        return reader.load(self.path)

    def _timed(self, rows: DataFrame) -> DataFrame:
        return rows.withColumn(self.event_time, F.col(self.event_time).cast("timestamp"))


def _millis(column: str, name: str) -> Column:
    return F.unix_millis(F.col(column).cast("timestamp")).alias(name)
