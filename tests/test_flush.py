"""A run that ends by itself, and time with it: in Python and in SQL."""

import tidegate
from feeds import Feed, counts


def feed_two_minutes(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:20", 1))
    feed.add(("12:01:10", 0), ("12:00:40", 1))


def test_run_when_flushed_then_gives_what_a_table_gives(feed: Feed) -> None:
    feed_two_minutes(feed)
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", flush=True
    )

    rows = feed.run(counts(keyed))

    assert sorted(rows) == sorted(tuple(row) for row in counts(feed.batch()).collect())


def test_run_when_not_flushed_then_keeps_the_last_window(feed: Feed) -> None:
    feed_two_minutes(feed)
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", substream="partition")

    assert feed.run(counts(keyed)) == []


def test_sql_when_flushed_then_gives_what_a_table_gives(feed: Feed) -> None:
    feed_two_minutes(feed)
    feed.stream().createOrReplaceTempView("rows")
    keyed = feed.spark.sql(
        "SELECT * FROM IMPOSE_ORDER(rows, DESCRIPTOR(time), 5 seconds, flush => true)"
    )

    assert sorted(feed.run(counts(keyed))) == [("12:00", 3), ("12:01", 1)]
