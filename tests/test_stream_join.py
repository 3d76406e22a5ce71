"""What comes out of a join of two streams, each on a keyed watermark of its own."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from pairs import (  # noqa: F401
    BETWEEN,
    BETWEEN_THE_OTHER_WAY,
    FILES,
    NOT_DELIVERED,
    NOT_ORDERED,
    PAIRS,
    clock_times,
    joined,
    keyed,
    test_join_when_of_a_type_then_gives_its_pairs_and_its_rows_without_a_match,
    timed,
)
from tidegate.joins import Between, How, On


def test_join_when_restarted_after_every_batch_then_gives_the_rows_of_one_run(
    orders: Feed, deliveries: Feed
) -> None:
    rows = []
    for some_orders, some_deliveries in FILES:
        orders.add(*some_orders)
        deliveries.add(*some_deliveries)
        rows.append(orders.run(clock_times(joined(orders, deliveries, "fullOuter"))))

    first, second, third = (sorted(some, key=str) for some in rows)
    assert first == PAIRS
    assert second == sorted(NOT_DELIVERED + NOT_ORDERED, key=str)
    assert third == []


@pytest.mark.parametrize("between", [BETWEEN, BETWEEN_THE_OTHER_WAY], ids=["right", "left"])
def test_between_when_its_time_is_of_either_side_then_gives_the_pairs_within_the_bounds(
    orders: Feed, deliveries: Feed, between: Between
) -> None:
    orders.add(("12:00:10", 1), ("12:01:00", 2))
    orders.add(("12:20:00", 3), ("12:19:58", 4), ("12:10:00", 5))
    deliveries.add(("12:05:00", 1))
    deliveries.add(("12:11:01", 2), ("12:20:00", 3), ("12:19:57", 4), ("12:20:00", 5))

    pairs = joined(orders, deliveries, between=between)

    assert sorted(orders.run(clock_times(pairs))) == [
        (1, "12:00:10", "12:05:00"),
        (3, "12:20:00", "12:20:00"),
        (5, "12:10:00", "12:20:00"),
    ]


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        (lambda left, right: "order_id", [1, 2]),
        (lambda left, right: ["order_id", "shop"], [1]),
        (lambda left, right: left.order_id == right.order_id, [1, 2]),
        (lambda left, right: [left.order_id == right.order_id, left.shop == right.shop], [1]),
    ],
    ids=["name", "names", "condition", "conditions"],
)
def test_on_when_given_as_to_dataframe_join_then_gives_the_same_columns_and_pairs(
    orders: Feed, deliveries: Feed, on: Callable[[DataFrame, DataFrame], On], expected: list[int]
) -> None:
    # The delivery of order 2 is of another shop.
    orders.add(("12:00:00", 1), ("12:00:00", 2))
    deliveries.add(("12:05:00", 1), ("12:05:00", 3), ("12:05:00", 2))
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)

    pairs = tidegate.streamJoin(left, right, on(left, right), between=BETWEEN)

    as_plain: Any = on(left, right)
    assert pairs.columns == left.join(right, as_plain).columns
    assert sorted(orders.run(pairs.select(left.order_id))) == [(order,) for order in expected]


def test_columns_when_named_alike_on_both_sides_then_are_told_apart_as_after_dataframe_join(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1), ("12:00:20", 2))
    deliveries.add(("12:05:00", 3), ("12:10:21", 4))
    left = tidegate.withKeyedWatermark(orders.stream(), "time", "5 seconds", 0)
    right = tidegate.withKeyedWatermark(deliveries.stream(), "time", "5 seconds", 1)

    # The first one is of the right side, the second one of the left.
    bounds = ("time", "time", "0 seconds", "10 minutes")
    pairs = tidegate.streamJoin(left, right, left.id == right.id, between=bounds)

    with pytest.raises(AnalysisException) as error:
        pairs.select("time")
    assert error.value.getCondition() == "AMBIGUOUS_REFERENCE"
    assert orders.run(pairs.select(left.id, left.partition, right.partition)) == [(0, 1, 3)]


def test_method_when_used_then_does_the_same_as_the_function(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1))
    deliveries.add(("12:05:00", 1))
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)

    pairs = left.streamJoin(right, on="order_id", between=BETWEEN)

    assert pairs.schema == joined(orders, deliveries).schema
    assert orders.run(clock_times(pairs)) == [(1, "12:00:10", "12:05:00")]


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
        timed(rows, "order"), timed(rows, "delivery"), "order_id", between=BETWEEN
    )

    assert sorted(feed.run(clock_times(pairs))) == [
        (1, "12:00:10", "12:00:10"),
        (1, "12:00:10", "12:05:00"),
        (1, "12:05:00", "12:05:00"),
        (1, "12:05:00", "12:11:00"),
        (1, "12:11:00", "12:11:00"),
    ]


@pytest.mark.parametrize("between", [BETWEEN, BETWEEN_THE_OTHER_WAY], ids=["right", "left"])
@pytest.mark.parametrize(
    "how", ["inner", "leftOuter", "rightOuter", "fullOuter", "leftSemi", "leftAnti"]
)
def test_batch_dataframes_when_joined_then_are_a_plain_join_with_the_bounds(
    orders: Feed, deliveries: Feed, how: How, between: Between
) -> None:
    orders.add(("12:00:00", 1), ("12:00:00", 2), ("12:00:00", 3), ("12:00:00", 4))
    deliveries.add(("12:00:00", 1), ("12:10:00", 2), ("12:10:01", 3), ("11:59:59", 4))
    left = timed(orders.batch(), "order")
    right = timed(deliveries.batch(), "delivery")
    same = left.order_id == right.order_id
    latest = left.order_time + F.expr("interval 10 minutes")

    by_condition = tidegate.streamJoin(left, right, same, how, between)
    by_name = tidegate.streamJoin(left, right, "order_id", how, between)
    plain = left.join(right, same & right.delivery_time.between(left.order_time, latest), how)

    assert by_condition.schema == plain.schema
    assert sorted(by_condition.collect(), key=str) == sorted(plain.collect(), key=str)
    assert by_name.columns == left.join(right, "order_id", how).columns
    assert by_name.count() == plain.count()
