"""A silent substream is left out, but never while there are files left to read."""

import tidegate
from feeds import Feed, counts


def test_backlog_when_a_substream_is_silent_in_it_then_is_no_idleness(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:10", 1))
    for minute in range(1, 6):
        feed.add((f"12:{minute:02}:10", 0))
    feed.add(("12:00:20", 1), ("12:06:10", 0))
    feed.add(("13:30:00", 0), ("13:30:00", 1))
    # Silent for longer than this in every batch, but its next rows wait to be read.
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout="1 millisecond"
    )

    with feed.running(counts(keyed)) as (query, emitted):
        query.processAllAvailable()
        rows = [emitted.next() for _ in range(7)]

    assert sorted(rows) == [("12:00", 3), *((f"12:{minute:02}", 1) for minute in range(1, 7))]


def test_substream_when_silent_and_all_is_read_then_holds_nothing_back(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:10", 1))
    feed.add(("12:30:10", 0))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout="1 millisecond"
    )

    with feed.running(counts(keyed)) as (query, emitted):
        first = emitted.next()
        substreams = tidegate.watermarks(query)["time"]["substreams"]

    assert first == ("12:00", 2)
    assert substreams["1"]["idle"]


def test_substream_when_silent_and_the_timeout_is_none_then_holds_for_ever(feed: Feed) -> None:
    feed.add(("12:00:10", 0), ("12:00:10", 1))
    feed.add(("12:30:10", 0))
    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition", idleTimeout=None
    )

    with feed.running(counts(keyed)) as (query, emitted):
        query.processAllAvailable()
        feed.add(("13:30:10", 0))
        query.processAllAvailable()
        held = emitted.all()
        feed.add(("13:30:10", 1))
        released = [emitted.next(), emitted.next()]

    assert held == []
    assert sorted(released) == [("12:00", 2), ("12:30", 1)]
