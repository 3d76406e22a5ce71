"""OpenLineage's listener beside Tidegate: it tells from where the rows of a query came."""

import json
from pathlib import Path
from typing import Any, ClassVar

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from beside.libraries import OPENLINEAGE, Library
from feeds import Feed


def lineage(spark: SparkSession) -> list[dict[str, Any]]:
    """Return the events of the session, when the listener has heard all that has happened."""
    assert spark.sparkContext._jsc is not None
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    file = Path(spark.conf.get("spark.openlineage.transport.location") or "")
    return [json.loads(line) for line in file.read_text().splitlines()]


def inputs(events: list[dict[str, Any]]) -> set[str]:
    """Return the names of what was read."""
    return {dataset["name"] for event in events for dataset in event.get("inputs", [])}


class TestOpenLineage:
    """With OpenLineage's listener and the extension of Tidegate."""

    libraries: ClassVar[list[Library]] = [OPENLINEAGE]

    def test_windows_when_written_to_files_then_the_lineage_has_those_of_the_source(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        (tmp_path / "feed").mkdir()
        feed, written = Feed(spark, tmp_path / "feed"), tmp_path / "written"
        feed.add(("12:00:10", 0), ("11:50:10", 1))
        feed.add(("12:30:00", 0), ("12:30:00", 1))
        keyed = feed.stream().withKeyedWatermark(
            "time", "0 seconds", substream="partition", lateRows=str(tmp_path / "late")
        )
        query = (
            keyed.groupBy(F.window("time", "1 minute"))
            .count()
            .writeStream.option("checkpointLocation", feed.checkpoint)
            .trigger(availableNow=True)
            .start(str(written))
        )
        assert query.awaitTermination(120), "the query did not end"

        assert spark.read.parquet(str(written)).count() == 2
        events = lineage(spark)
        assert {"START", "COMPLETE"} <= {event["eventType"] for event in events}
        files = {str(tmp_path / "feed" / name) for name in ("0000.json", "0001.json")}
        assert files <= inputs(events)
