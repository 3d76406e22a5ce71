"""Joins of two streams, each on a keyed watermark of its own.

The partition of a feed is the number of an order here.
"""

from datetime import datetime, timedelta, timezone

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed, counts
from tidegate.joins import Between

BETWEEN = ("delivery_time", "order_time", "0 seconds", "10 minutes")


def timed(rows: DataFrame, name: str) -> DataFrame:
    return rows.select(F.col("partition").alias("order_id"), F.col("time").alias(name))


def keyed(feed: Feed, name: str, key: int) -> DataFrame:
    rows = timed(feed.stream(), f"{name}_time")
    return tidegate.withKeyedWatermark(rows, f"{name}_time", "5 seconds", key, name=name)


def joined(orders: Feed, deliveries: Feed, how: str = "inner") -> DataFrame:
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)
    return tidegate.streamJoin(left, right, "order_id", how, BETWEEN)


def clock_times(rows: DataFrame) -> DataFrame:
    times = [F.date_format(column, "HH:mm:ss") for column in ("order_time", "delivery_time")]
    return rows.select("order_id", *times)


def test_inner_join_when_by_name_then_gives_the_pairs_within_the_bounds(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1), ("12:01:00", 2))
    orders.add(("12:20:00", 3), ("12:19:58", 4), ("12:10:00", 5))
    deliveries.add(("12:05:00", 1))
    deliveries.add(("12:11:01", 2), ("12:20:00", 3), ("12:19:57", 4), ("12:20:00", 5))

    assert sorted(orders.run(clock_times(joined(orders, deliveries)))) == [
        (1, "12:00:10", "12:05:00"),
        (3, "12:20:00", "12:20:00"),
        (5, "12:10:00", "12:20:00"),
    ]


def test_left_outer_join_when_a_row_has_no_match_then_it_leaves_as_soon_as_the_bounds_allow(
    orders: Feed, deliveries: Feed
) -> None:
    def run_after_delivery(time: str, order_id: int) -> tuple[str, list[tuple[object, ...]]]:
        deliveries.add((time, order_id))
        query, rows = orders.run_query(clock_times(joined(orders, deliveries, "leftOuter")))
        return f"{tidegate.watermarks(query)['delivery']['watermark']:%H:%M:%S}", rows

    orders.add(("12:00:00", 1), ("12:00:01", 2))

    assert run_after_delivery("12:03:00", 2) == ("12:02:55", [(2, "12:00:01", "12:03:00")])
    # A delivery of order 1 at 12:10:00 would be in time, and not late.
    assert run_after_delivery("12:10:05", 99) == ("12:10:00", [])
    assert run_after_delivery("12:10:06", 99) == ("12:10:01", [(1, "12:00:00", None)])
    assert run_after_delivery("12:10:07", 99) == ("12:10:02", [])


def test_right_outer_join_when_the_left_side_advances_then_rows_without_a_match_leave(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:00", 1))
    deliveries.add(("12:03:00", 7))

    with orders.running(clock_times(joined(orders, deliveries, "rightOuter"))) as (query, emitted):
        orders.add(("12:03:05", 98))
        query.processAllAvailable()
        held = emitted.all()
        orders.add(("12:03:06", 99))
        released = emitted.next()

    assert held == []
    assert released == (7, None, "12:03:00")


def test_late_rows_when_of_one_side_then_its_own_watermark_decides(
    orders: Feed, deliveries: Feed
) -> None:
    for minute in (28, 29, 30):
        orders.add((f"12:{minute}:00", minute))
        deliveries.add((f"12:00:{minute}", 99))
    orders.add(("12:20:00", 2))
    # Both are behind the watermark of the orders, and not behind that of the deliveries.
    deliveries.add(("12:20:01", 2), ("12:28:10", 28))

    query, rows = orders.run_query(clock_times(joined(orders, deliveries)))
    watermarks = tidegate.watermarks(query)

    assert rows == [(28, "12:28:00", "12:28:10")]
    assert watermarks["join.left"]["lateRows"] == 1
    assert watermarks["join.right"]["lateRows"] == 0


def test_condition_when_its_column_has_the_same_name_on_both_sides_then_each_side_has_its_own(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1), ("12:00:20", 2))
    deliveries.add(("12:05:00", 3), ("12:10:21", 4))
    left = orders.stream().withColumnRenamed("time", "order_time")
    right = deliveries.stream().withColumnRenamed("time", "delivery_time")
    left = tidegate.withKeyedWatermark(left, "order_time", "5 seconds", 0)
    right = tidegate.withKeyedWatermark(right, "delivery_time", "5 seconds", 1)

    pairs = tidegate.streamJoin(left, right, left.id == right.id, between=BETWEEN)

    assert pairs.columns == [*left.columns, *right.columns]
    assert orders.run(pairs.select(left.id, right.id, left.partition, right.partition)) == [
        (0, 0, 1, 3)
    ]


@pytest.mark.parametrize("shared", ["time", "window"])
def test_join_when_on_equal_times_or_windows_then_needs_no_bounds(
    orders: Feed, deliveries: Feed, shared: str
) -> None:
    def keyed_by(feed: Feed, key: int) -> DataFrame:
        rows = tidegate.withKeyedWatermark(feed.stream(), "time", "1 minute", key)
        time = F.col("time") if shared == "time" else F.window("time", "1 minute")
        return rows.select("partition", time.alias(shared), F.col("id").alias(f"id_{key}"))

    def run() -> list[tuple[object, ...]]:
        pairs = tidegate.streamJoin(
            keyed_by(orders, 0), keyed_by(deliveries, 1), [shared, "partition"], "leftOuter"
        )
        return orders.run(pairs.select("partition", "id_0", "id_1"))

    orders.add(("12:00:10", 1), ("12:00:20", 2))
    deliveries.add(("12:00:20", 2))
    assert run() == [(2, 1, 0)]
    orders.add(("12:05:00", 3))
    assert run() == []
    deliveries.add(("12:05:30", 4))
    assert run() == [(1, 0, None)]


def test_join_when_a_stream_is_joined_with_itself_then_its_key_is_no_conflict(feed: Feed) -> None:
    feed.add(("12:00:10", 1), ("12:05:00", 1), ("12:11:00", 1))
    rows = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    pairs = tidegate.streamJoin(
        timed(rows, "order_time"), timed(rows, "delivery_time"), "order_id", between=BETWEEN
    )

    assert sorted(feed.run(clock_times(pairs))) == [
        (1, "12:00:10", "12:00:10"),
        (1, "12:00:10", "12:05:00"),
        (1, "12:05:00", "12:05:00"),
        (1, "12:05:00", "12:11:00"),
        (1, "12:11:00", "12:11:00"),
    ]


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        ("order_time", [], [("12:00", 2)]),
        ("delivery_time", [("12:00", 1)], [("12:09", 1)]),
    ],
)
def test_windows_when_over_a_join_then_both_time_columns_have_their_watermarks(
    orders: Feed,
    deliveries: Feed,
    column: str,
    first: list[tuple[str, int]],
    second: list[tuple[str, int]],
) -> None:
    orders.add(("12:00:10", 1), ("12:00:20", 2), ("12:30:00", 3))
    deliveries.add(("12:00:30", 1), ("12:09:00", 2))
    # Deliveries of orders at 12:00 are still to come, deliveries before 12:08:55 are not.
    assert orders.run(counts(joined(orders, deliveries), column)) == first

    deliveries.add(("12:50:00", 99))
    assert orders.run(counts(joined(orders, deliveries), column)) == second


@pytest.mark.parametrize(
    "between",
    [BETWEEN, ("order_time", "delivery_time", timedelta(minutes=-10), timedelta(0))],
    ids=["right-side-first", "left-side-first"],
)
@pytest.mark.parametrize(
    "how", ["inner", "leftOuter", "rightOuter", "fullOuter", "leftSemi", "leftAnti"]
)
def test_batch_dataframes_when_joined_then_are_a_plain_join_with_the_bounds(
    orders: Feed, deliveries: Feed, how: str, between: Between
) -> None:
    orders.add(("12:00:00", 1), ("12:00:00", 2), ("12:00:00", 3), ("12:00:00", 4))
    deliveries.add(("12:00:00", 1), ("12:10:00", 2), ("12:10:01", 3), ("11:59:59", 4))
    left = timed(orders.batch(), "order_time")
    right = timed(deliveries.batch(), "delivery_time")
    same = left.order_id == right.order_id
    latest = left.order_time + F.expr("interval 10 minutes")

    by_condition = tidegate.streamJoin(left, right, same, how, between)
    by_name = tidegate.streamJoin(left, right, "order_id", how, between)
    plain = left.join(right, same & right.delivery_time.between(left.order_time, latest), how)

    assert by_condition.schema == plain.schema
    assert sorted(by_condition.collect(), key=str) == sorted(plain.collect(), key=str)
    assert by_name.columns == left.join(right, "order_id", how).columns
    assert by_name.count() == plain.count()


def test_watermarks_when_the_query_has_a_join_then_tell_of_both_of_its_sides(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1))
    deliveries.add(("12:05:00", 1))

    query, _ = orders.run_query(joined(orders, deliveries))
    watermarks = tidegate.watermarks(query)

    order_time = datetime(2026, 1, 1, 12, 0, 5, tzinfo=timezone.utc)
    delivery_time = datetime(2026, 1, 1, 12, 4, 55, tzinfo=timezone.utc)
    assert sorted(watermarks) == ["delivery", "join.left", "join.right", "order"]
    assert watermarks["join.left"] == {
        "kind": "operator",
        "key": 0,
        "watermark": order_time,
        "idle": False,
        "eventTime": "order_time",
        "heldBackBy": "order",
        "evictionWatermark": delivery_time,
        "evictionHeldBackBy": "delivery",
        "lateRows": 0,
    }
    assert watermarks["join.right"] == {
        "kind": "operator",
        "key": 1,
        "watermark": delivery_time,
        "idle": False,
        "eventTime": "delivery_time",
        "heldBackBy": "delivery",
        "evictionWatermark": order_time,
        "evictionHeldBackBy": "order",
        "lateRows": 0,
    }
