"""A Delta table as a stream: a column of the rows tells the substreams apart."""

from pyspark.sql import functions as F

import tidegate
from feeds import Feed, counts
from statuses import watermark_of

LAGGING = [
    [("a", "12:00:10"), ("b", "11:50:10")],
    [("a", "12:01:10"), ("b", "11:51:10")],
    [("a", "12:02:10"), ("b", "11:52:10")],
    [("a", "13:30:00"), ("b", "13:30:00")],
]
"""Shop b runs ten minutes behind; two rows an hour later end the table."""

ALL = [("11:50", 1), ("11:51", 1), ("11:52", 1), ("12:00", 1), ("12:01", 1), ("12:02", 1)]


def append(feed: Feed, rows: list[tuple[str, str]]) -> None:
    """Add a commit to the table."""
    commit = feed.spark.createDataFrame(rows, "shop string, at string").select(
        "shop", F.to_timestamp(F.concat(F.lit("2026-01-01 "), "at")).alias("time")
    )
    commit.write.format("delta").mode("append").save(str(feed.folder / "table"))


def test_delta_when_shops_lag_behind_each_other_then_no_row_is_lost(feed: Feed) -> None:
    seen = []
    # A new start after every commit: the last batch is read from the table again.
    for rows in LAGGING:
        append(feed, rows)
        table = feed.spark.readStream.format("delta").load(str(feed.folder / "table"))
        keyed = tidegate.withKeyedWatermark(table, "time", "0 seconds", substream="shop")
        query, emitted = feed.run_query(counts(keyed))
        seen += emitted

    assert sorted(seen) == ALL
    assert set(watermark_of(query, "time")["substreams"]) == {"a", "b"}


def test_delta_when_read_with_a_limit_then_unread_commits_are_no_idleness(feed: Feed) -> None:
    for rows in LAGGING[0][:1], LAGGING[1][:1], LAGGING[0][1:], LAGGING[1][1:]:
        append(feed, rows)
    append(feed, [("b", "11:55:10"), ("a", "12:05:10")])
    reader = feed.spark.readStream.format("delta").option("maxFilesPerTrigger", 1)
    keyed = tidegate.withKeyedWatermark(
        reader.load(str(feed.folder / "table")),
        "time",
        "20 minutes",
        substream="shop",
        idleTimeout="1 millisecond",
        flush=True,
    )

    expected = sorted([*ALL[:2], ("11:55", 1), ("12:00", 1), ("12:01", 1), ("12:05", 1)])
    assert sorted(feed.run(counts(keyed))) == expected
