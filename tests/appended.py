"""An ingestion watermark with all that may be asked of it, on classic PySpark and Spark Connect."""

from datetime import datetime, timezone

from pyspark.sql import functions as F

import tidegate
from feeds import Feed, counts


def check_arguments(feed: Feed) -> None:
    """Run a stream whose row n of a file is the event of 10 * n minutes before its append time."""
    late = str(feed.folder) + "-late"
    for times in ("12:00:10",), ("12:20:10",), ("12:20:10",), ("12:20:20", "12:20:30", "12:20:40"):
        feed.add(*((time, 0) for time in times))
    ahead = feed.folder / "ahead.json"
    ahead.write_text('{"id": 0, "time": "2999-01-01T00:00:00Z", "partition": 0}')

    events = feed.stream().withColumn("event", F.expr("time - make_dt_interval(0, 0, 10 * id)"))
    keyed = tidegate.withIngestionWatermark(
        events,
        "event",
        "0 seconds",
        "time",
        "partition",
        maxIdleLag="36500 days",
        maxFutureSkew="1 day",
        idleBehind="1 hour",
        lateRows=late,
        allowedLateness="15 minutes",
    )
    query, rows = feed.run_query(counts(keyed, "event"), "update")

    # The row of 12:10:30 is late, and within the lateness; that of 12:00:40 is beyond.
    assert sorted(rows) == [
        ("00:00", 1),
        ("12:00", 1),
        ("12:10", 1),
        ("12:20", 1),
        ("12:20", 2),
        ("12:20", 3),
    ]
    assert [row.id for row in feed.spark.read.parquet(late).select("row.id").collect()] == [2]
    node = tidegate.watermarks(query)["event"]
    assert node["kind"] == "watermark"
    assert node["futureEvents"] == 1
    substream = node["substreams"]["0"]["watermark"]
    assert substream == datetime(2026, 1, 1, 12, 20, 39, 999000, timezone.utc)
