"""Orders and their deliveries, within ten minutes; the partition of a feed numbers the orders.

The test at the end runs in the suites of classic PySpark and of Spark Connect, which import it.
"""

from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from tidegate.joins import Between, How

BETWEEN: Between = ("delivery_time", "order_time", "0 seconds", "10 minutes")
BETWEEN_THE_OTHER_WAY: Between = ("order_time", "delivery_time", "-10 minutes", "0 seconds")

FILES = (
    ([("12:00:00", 1), ("12:00:00", 2), ("12:01:00", 3)], [("12:05:00", 1), ("12:05:00", 4)]),
    # A delivery of order 3, but after more than ten minutes.
    ([("14:00:00", 98)], [("12:12:00", 3)]),
    ([("14:00:01", 98)], [("14:00:00", 99)]),
)
"""Orders and deliveries of each batch; the last ones only move the watermarks."""

Rows = list[tuple[Any, ...]]
PAIRS: Rows = [(1, "12:00:00", "12:05:00")]
NOT_DELIVERED: Rows = [(2, "12:00:00", None), (3, "12:01:00", None)]
NOT_ORDERED: Rows = [(3, None, "12:12:00"), (4, None, "12:05:00")]


def add(orders: Feed, deliveries: Feed) -> None:
    """Add the rows of all batches."""
    for some_orders, some_deliveries in FILES:
        orders.add(*some_orders)
        deliveries.add(*some_deliveries)


def timed(rows: DataFrame, name: str) -> DataFrame:
    """Name the columns as those of orders or deliveries."""
    columns = [F.col("partition").alias("order_id"), F.col("id").alias("shop")]
    return rows.select(*columns, F.col("time").alias(f"{name}_time"))


def keyed(feed: Feed, name: str, key: int) -> DataFrame:
    """Read orders or deliveries with a watermark of that name."""
    rows = timed(feed.stream(), name)
    return tidegate.withKeyedWatermark(rows, f"{name}_time", "5 seconds", key, name=name)


def joined(
    orders: Feed, deliveries: Feed, how: How = "inner", between: Between = BETWEEN
) -> DataFrame:
    """Join both by the number of the order."""
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)
    return tidegate.streamJoin(left, right, "order_id", how, between)


def clock_times(rows: DataFrame) -> DataFrame:
    """Show an order by its number and its times of day."""
    times = [column for column in ("order_time", "delivery_time") if column in rows.columns]
    return rows.select("order_id", *(F.date_format(column, "HH:mm:ss") for column in times))


@pytest.mark.parametrize(
    ("how", "between", "expected"),
    [
        ("inner", BETWEEN, PAIRS),
        ("leftOuter", BETWEEN, PAIRS + NOT_DELIVERED),
        ("rightOuter", BETWEEN, PAIRS + NOT_ORDERED),
        ("right_outer", BETWEEN_THE_OTHER_WAY, PAIRS + NOT_ORDERED),
        ("fullOuter", BETWEEN_THE_OTHER_WAY, PAIRS + NOT_DELIVERED + NOT_ORDERED),
        ("leftSemi", BETWEEN, [(1, "12:00:00")]),
    ],
)
def test_join_when_of_a_type_then_gives_its_pairs_and_its_rows_without_a_match(
    orders: Feed, deliveries: Feed, how: How, between: Between, expected: Rows
) -> None:
    add(orders, deliveries)

    rows = orders.run(clock_times(joined(orders, deliveries, how, between)))

    assert sorted(rows, key=str) == sorted(expected, key=str)
