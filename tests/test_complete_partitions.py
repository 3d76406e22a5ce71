"""The partitions that a page marks as complete, when the query fails after each batch."""

from pathlib import Path
from typing import Any

import documents
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession

PAGE = Path(__file__).parent.parent / "docs" / "patterns.md"

ARRIVED = [
    ["12:00:10", "12:00:50"],
    ["12:01:30", "12:00:58"],
    ["12:02:20"],
    ["12:02:40", "12:00:59"],
    ["12:03:10", "12:02:30"],
    ["12:05:00", "12:01:59"],
]


class Log:
    """A run of the example into a folder of its own, which may fail."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Take the functions of the page."""
        code = next(e.code for e in documents.examples(PAGE.read_text()) if "def write" in e.code)
        self.names: dict[str, Any] = {"spark": spark, "folder": str(folder)}
        exec(code, self.names)
        self.folder = folder

    def run(self, bids: DataFrame) -> bool:
        """Run until what is there is read; return whether it was read without a failure."""
        query = self.names["log"](bids)
        try:
            query.awaitTermination()
        except StreamingQueryException as failure:
            assert "made to fail" in str(failure)
            return False
        return True

    def complete(self) -> set[str]:
        """Return the partitions that are marked."""
        return {mark.parent.name for mark in (self.folder / "log").glob("*/_SUCCESS")}

    def rows(self, spark: SparkSession) -> list[Row]:
        """Return what was logged, in order."""
        return sorted(spark.read.json(f"{self.folder}/log").drop("batch").collect())

    def times(self, spark: SparkSession) -> dict[str, set[str]]:
        """Return the times in each partition that is marked."""
        return {
            partition: {
                row.bid_time for row in spark.read.json(f"{self.folder}/log/{partition}").collect()
            }
            for partition in self.complete()
        }


def test_marked_partitions_when_each_batch_fails_once_then_get_no_more_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    session = spark.newSession()
    for times in ARRIVED:
        values = ", ".join(f"(TIMESTAMP '2026-01-01 {time}')" for time in times)
        rows = session.sql(f"SELECT * FROM VALUES {values} AS t (bid_time)")
        rows.coalesce(1).write.mode("append").json(f"{tmp_path}/feed")
    reader = session.readStream.schema("bid_time TIMESTAMP").option("maxFilesPerTrigger", 1)
    bids = reader.json(f"{tmp_path}/feed")
    undisturbed, failing = Log(session, tmp_path / "one"), Log(session, tmp_path / "two")
    assert undisturbed.run(bids)

    write = failing.names["write"]
    failed: set[int] = set()
    marked: list[dict[str, set[str]]] = []

    def write_and_fail(batch: DataFrame, batch_id: int) -> None:
        write(batch, batch_id)
        if batch_id not in failed:
            failed.add(batch_id)
            marked.append(failing.times(session))
            raise RuntimeError("made to fail")

    failing.names["write"] = write_and_fail
    while not failing.run(bids):
        pass

    assert len(failed) == len(ARRIVED)
    assert failing.rows(session) == undisturbed.rows(session)
    assert failing.complete() == undisturbed.complete()
    assert len(failing.complete()) == 2
    at_the_end = failing.times(session)
    for moment in marked:
        assert moment == {partition: at_the_end[partition] for partition in moment}
