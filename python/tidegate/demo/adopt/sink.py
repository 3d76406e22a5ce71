"""The sink of the job: a folder of Parquet files, with Spark's log of those that count."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tidegate.demo.adopt.verdict import Emitted

SCHEMA = "start TIMESTAMP, end TIMESTAMP, count LONG"


class Sink:
    """Reads the windows that the job has written."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Take the folder, which need not be there yet."""
        self._spark = spark
        self.folder = folder

    def read(self) -> Emitted:
        """Return the windows of all batches that were committed to the sink."""
        # Without the log, Spark would read what a batch has begun to write.
        if not (self.folder / "_spark_metadata").is_dir():
            return []
        windows = self._spark.read.schema(SCHEMA).parquet(str(self.folder))
        rows = windows.select(F.unix_millis("start").alias("start"), "count").collect()
        return [(row["start"], row["count"]) for row in rows]
