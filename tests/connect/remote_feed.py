"""Streams on a Spark Connect server that are fed file by file."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from feeds import Feed


class RemoteFeed(Feed):
    """A feed that collects what comes out on the server: in a table, as a client has no JVM."""

    @staticmethod
    def of(spark: SparkSession, folder: Path) -> "RemoteFeed":
        """Return a feed from a new folder."""
        folder.mkdir()
        return RemoteFeed(spark, folder)

    def run_query(
        self, result: DataFrame, output_mode: str = "append"
    ) -> tuple[StreamingQuery, list[tuple[Any, ...]]]:
        """Run to the end of what is there, and return the ended query and the rows."""
        table = f"rows_{uuid4().hex}"
        query = (
            result.writeStream.outputMode(output_mode)
            .format("memory")
            .queryName(table)
            .trigger(availableNow=True)
            .start()
        )
        try:
            assert query.awaitTermination(120), "the query did not end"
        finally:
            query.stop()
        return query, [tuple(row) for row in self.spark.table(table).collect()]
