"""`streamJoin` on Spark Connect: the bounds are those of classic PySpark, and so are its rows."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed
from pairs import (  # noqa: F401
    BETWEEN,
    NOT_DELIVERED,
    PAIRS,
    add,
    clock_times,
    joined,
    keyed,
    test_join_when_of_a_type_then_gives_its_pairs_and_its_rows_without_a_match,
    timed,
)
from tidegate.joins import On


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        (lambda left, right: ["order_id", "shop"], [1]),
        (lambda left, right: left.order_id == right.order_id, [1, 2]),
        (lambda left, right: [left.order_id == right.order_id, left.shop == right.shop], [1]),
    ],
    ids=["names", "condition", "conditions"],
)
def test_on_when_given_as_to_dataframe_join_then_gives_the_same_columns_and_pairs(
    orders: RemoteFeed,
    deliveries: RemoteFeed,
    on: Callable[[DataFrame, DataFrame], On],
    expected: list[int],
) -> None:
    # The delivery of order 2 is of another shop.
    orders.add(("12:00:00", 1), ("12:00:00", 2))
    deliveries.add(("12:05:00", 1), ("12:05:00", 3), ("12:05:00", 2))
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)

    pairs = tidegate.streamJoin(left, right, on(left, right), "leftOuter", BETWEEN)

    as_plain: Any = on(left, right)
    assert pairs.columns == left.join(right, as_plain).columns
    delivered = pairs.where(right.delivery_time.isNotNull()).select(left.order_id)
    assert sorted(orders.run(delivered)) == [(order,) for order in expected]


def test_between_when_its_names_have_the_alias_of_a_side_then_the_sides_are_told_apart(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    orders.add(("12:00:10", 1), ("12:00:20", 2))
    deliveries.add(("12:05:00", 1), ("12:10:21", 2))
    left = tidegate.withKeyedWatermark(orders.stream(), "time", "5 seconds", 0).alias("o")
    right = tidegate.withKeyedWatermark(deliveries.stream(), "time", "5 seconds", 1).alias("d")
    bounds = ("d.time", "`o`.time", timedelta(0), timedelta(minutes=10))

    pairs = left.streamJoin(right, F.col("o.partition") == F.col("d.partition"), between=bounds)

    assert orders.run(pairs.select("o.partition", "d.id")) == [(1, 0)]


def test_window_when_over_a_join_then_runs_on_its_watermark(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    add(orders, deliveries)
    orders.add(("14:00:02", 98))
    deliveries.add(("14:00:01", 99))

    pairs = joined(orders, deliveries, "leftOuter")
    counted = pairs.groupBy(F.window("order_time", "1 hour")).agg(
        F.count("*"), F.count("delivery_time")
    )

    rows = orders.run(counted.select(F.date_format("window.start", "HH"), "count(1)", counted[2]))
    assert rows == [("12", 3, 1)]


def test_bounds_when_a_query_compares_the_times_itself_then_none_have_to_be_given(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    add(orders, deliveries)
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)
    condition = F.expr("delivery_time BETWEEN order_time AND order_time + INTERVAL 10 MINUTES")

    pairs = tidegate.streamJoin(
        left, right, [left.order_id == right.order_id, condition], "leftOuter"
    )

    rows = orders.run(clock_times(pairs.drop(right.order_id)))
    assert sorted(rows, key=str) == sorted(PAIRS + NOT_DELIVERED, key=str)


def test_batch_dataframes_when_joined_then_the_bounds_are_a_condition(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    add(orders, deliveries)
    left, right = timed(orders.batch(), "order"), timed(deliveries.batch(), "delivery")

    pairs = tidegate.streamJoin(left, right, "order_id", "leftOuter", BETWEEN)

    rows = [tuple(row) for row in clock_times(pairs).where("order_id < 90").collect()]
    assert sorted(rows, key=str) == sorted(PAIRS + NOT_DELIVERED, key=str)
