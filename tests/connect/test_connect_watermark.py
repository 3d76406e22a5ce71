"""`withKeyedWatermark` on Spark Connect: its arguments arrive, and its watermark is the same."""

import json
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from appended import check_arguments
from connect.remote_feed import RemoteFeed
from feeds import counts
from sparks import since


def test_watermark_when_on_substreams_then_no_row_of_one_that_is_behind_is_lost(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0), ("11:50:10", 1))
    feed.add(("12:01:10", 0), ("11:51:10", 1))
    feed.add(("13:00:00", 0), ("13:00:00", 1))

    keyed = feed.stream().withKeyedWatermark("time", "5 seconds", substream="partition")

    rows = sorted(feed.run(counts(keyed)))
    assert rows == [("11:50", 1), ("11:51", 1), ("12:00", 1), ("12:01", 1)]


def test_watermark_when_not_on_substreams_then_a_row_below_the_lag_is_late(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    feed.add(("12:01:10", 0))
    # A batch does not know yet what the one before it saw.
    feed.add(("12:01:10", 0))
    feed.add(("12:01:04", 0), ("12:00:59", 0))
    feed.add(("13:00:00", 0))

    keyed = feed.stream().transform(tidegate.withKeyedWatermark, "time", timedelta(seconds=5))

    assert sorted(feed.run(counts(keyed))) == [("12:00", 1), ("12:01", 3)]


def test_arguments_when_given_then_are_those_of_the_watermark(
    feed: RemoteFeed, capsys: pytest.CaptureFixture[str]
) -> None:
    keyed = tidegate.withKeyedWatermark(
        feed.stream(),
        "time",
        key=7,
        policy=tidegate.limitingLagAndLull("1 second", timedelta(seconds=2)),
        substream=["id", "partition"],
        name="orders",
    )

    keyed.explain()

    plan = re.sub(r"#\d+L?", "", capsys.readouterr().out)
    assert (
        "KeyedWatermark orders: time, key=7, limitingLagAndLull(1000 ms, 2000 ms), "
        "substream=[id, partition]"
    ) in plan


def test_emission_when_by_frame_then_shows_the_first_watermark_in_a_frame(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:47:10", 0))
    feed.add(("12:59:10", 0))

    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", emission=tidegate.byFrame("15 minutes", "1 minute")
    )

    assert clock(feed.run_query(counts(keyed))[0])["time"]["watermark"] == millis("12:47:05")


def test_max_future_skew_when_a_time_is_beyond_it_then_does_not_move_the_watermark(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    ahead = feed.folder / "ahead.json"
    ahead.write_text('{"id": 1, "time": "2999-01-01T00:00:00Z", "partition": 0}')

    keyed = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", idleTimeout=None, maxFutureSkew="1 day"
    )

    assert clock(feed.run_query(counts(keyed))[0])["time"]["watermark"] == millis("12:00:05")


def test_ingestion_watermark_when_all_is_asked_of_it_then_each_argument_works(
    feed: RemoteFeed,
) -> None:
    check_arguments(feed)


# Only plain names are in the text.
NAMES = ["order time", "`order.time`", "`a``b`"] + [
    pytest.param(name, marks=since(1, "parameters in DESCRIPTOR"))
    for name in ("{df}", "it's", ":p1")
]


@pytest.mark.parametrize("name", NAMES)
def test_event_time_when_its_name_is_not_plain_then_is_spelled_as_in_classic_pyspark(
    feed: RemoteFeed, name: str
) -> None:
    column = name[1:-1].replace("``", "`") if name.startswith("`") else name
    events = feed.stream().withColumnRenamed("time", column)

    keyed = tidegate.withKeyedWatermark(events, name, "5 seconds", substream=name, name=name)

    assert keyed.columns == ["id", column, "partition"]
    assert keyed.isStreaming


def test_columns_when_of_the_dataframe_before_then_still_work_after(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0), ("12:00:20", 1))
    events = feed.stream()

    keyed = tidegate.withKeyedWatermark(events, "time", "5 seconds")
    rows = feed.run(keyed.where(events["partition"] == 1).select(events["id"], keyed.partition))

    assert rows == [(1, 1)]


def test_batch_dataframe_when_given_then_its_rows_are_the_same(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0), ("12:00:20", 1))

    keyed = tidegate.withKeyedWatermark(feed.batch(), "time", "5 seconds")

    assert not keyed.isStreaming
    assert sorted(keyed.collect()) == sorted(feed.batch().collect())


def test_union_when_of_one_dataframe_with_itself_then_its_rows_are_there_twice(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:10", 0))
    feed.add(("13:00:00", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    assert feed.run(counts(keyed.union(keyed))) == [("12:00", 2)]


@pytest.mark.usefixtures("rhythm_of_spark")
def test_progress_when_read_then_holds_the_watermarks(feed: RemoteFeed) -> None:
    feed.add(("12:00:10", 0))
    feed.add(("12:01:10", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", key=2, name="orders")

    query, _ = feed.run_query(counts(keyed))

    node = clock(query)["orders"]
    assert (node["key"], node["watermark"]) == (2, millis("12:01:05"))


def test_functions_of_sql_when_called_on_columns_then_know_the_watermark(feed: RemoteFeed) -> None:
    for time in ("12:00:10", "12:00:10", "12:00:04"):
        feed.add((time, 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", name="orders")

    late = keyed.select(
        F.call_function("is_late", "time"),
        F.expr("date_format(current_watermark('orders'), 'HH:mm:ss')"),
    )

    assert feed.run(late) == [(False, None), (False, None), (True, "12:00:05")]


def clock(query: StreamingQuery) -> dict[str, Any]:
    """Read the keyed watermarks of an ended query from its progress."""
    assert query.lastProgress is not None
    offsets = {s["description"]: s["endOffset"] for s in query.lastProgress["sources"]}
    nodes: dict[str, Any] = json.loads(offsets["tidegate_clock"])["nodes"]
    return nodes


def millis(time: str) -> int:
    return int(datetime.fromisoformat(f"2026-01-01T{time}+00:00").timestamp() * 1000)
