"""`topN` on Spark Connect."""

from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed


def test_top_n_when_a_window_closes_then_its_first_rows_leave(feed: RemoteFeed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 1), ("12:00:05", 1))
    feed.add(("12:01:00", 1))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    windows = keyed.select("*", F.window("time", "10 seconds").alias("window"))
    best = tidegate.topN(windows, 2, "window", F.desc("time"))

    assert sorted(feed.run(best.select(F.date_format("time", "ss"), "rank"))) == [
        ("05", 2),
        ("07", 1),
    ]
