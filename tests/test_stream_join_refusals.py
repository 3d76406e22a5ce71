"""What `streamJoin` refuses arrives as an AnalysisException that names the columns."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from feeds import Feed

UNBOUNDED = "spark.tidegate.join.unbounded"


@pytest.fixture
def unbounded_is_an_error(spark: SparkSession) -> Iterator[None]:
    """Refuse joins whose state grows for ever."""
    spark.conf.set(UNBOUNDED, "error")
    yield
    spark.conf.unset(UNBOUNDED)


@pytest.fixture
def sides(orders: Feed, deliveries: Feed) -> tuple[DataFrame, DataFrame]:
    """Return two streams, one with an order_time and one with a delivery_time."""
    orders.add(("12:00:10", 0))
    deliveries.add(("12:00:10", 0))
    return (
        orders.stream().select("id", F.col("time").alias("order_time")),
        deliveries.stream().select("id", F.col("time").alias("delivery_time")),
    )


def keyed(side: DataFrame, key: int) -> DataFrame:
    """Give the time column of a side, which is its last, a watermark."""
    return tidegate.withKeyedWatermark(side, side.columns[-1], "5 seconds", key)


def check(error: AnalysisException, condition: str, *named: str) -> None:
    assert error.getCondition() == f"TIDEGATE_{condition}"
    for column in named:
        assert f"`{column}`" in str(error)


def no_time_zone(side: DataFrame) -> DataFrame:
    return side.select("id", F.col(side.columns[-1]).cast("timestamp_ntz").alias(side.columns[-1]))


@pytest.mark.parametrize(
    ("between", "condition", "named"),
    [
        (
            ("delivered", "order_time", "0 seconds", "10 minutes"),
            "BETWEEN_COLUMN_NOT_FOUND",
            ["delivered"],
        ),
        (
            ("delivery_time", "ordered", "0 seconds", "10 minutes"),
            "BETWEEN_COLUMN_NOT_FOUND",
            ["ordered"],
        ),
        (
            ("delivery_time", "order_time", "10 minutes", "0 seconds"),
            "BETWEEN_ORDER",
            ["delivery_time", "order_time"],
        ),
    ],
)
def test_between_when_not_usable_then_the_sentence_names_its_columns(
    sides: tuple[DataFrame, DataFrame], between: Any, condition: str, named: list[str]
) -> None:
    orders, deliveries = sides

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(keyed(orders, 0), keyed(deliveries, 1), "id", between=between)

    check(error.value, condition, *named)


def test_between_when_not_usable_then_is_refused_in_batch_too(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    orders = feed.batch().select("id", F.col("time").alias("order_time"))
    deliveries = feed.batch().select("id", F.col("time").alias("delivery_time"))
    reversed_bounds = ("delivery_time", "order_time", "10 minutes", "0 seconds")

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(orders, deliveries, "id", between=reversed_bounds)

    check(error.value, "BETWEEN_ORDER", "delivery_time", "order_time")


Sides = Callable[[DataFrame, DataFrame], tuple[DataFrame, DataFrame]]


@pytest.mark.parametrize(
    ("prepare", "condition", "named"),
    [
        (
            lambda orders, deliveries: (keyed(orders, 0), keyed(no_time_zone(deliveries), 1)),
            "BETWEEN_TYPES",
            ["order_time", "delivery_time"],
        ),
        (
            lambda orders, deliveries: (keyed(orders, 0), deliveries),
            "BETWEEN_NOT_KEYED",
            ["delivery_time"],
        ),
        (
            lambda orders, deliveries: (orders, keyed(deliveries, 1)),
            "BETWEEN_NOT_KEYED",
            ["order_time"],
        ),
        (
            lambda orders, deliveries: (keyed(orders, 0), keyed(deliveries, 0)),
            "JOIN_KEY_CONFLICT",
            ["order_time", "delivery_time"],
        ),
    ],
    ids=["types", "right-not-keyed", "left-not-keyed", "same-key"],
)
def test_sides_when_they_do_not_fit_together_then_the_sentence_names_their_columns(
    sides: tuple[DataFrame, DataFrame],
    start: Callable[[DataFrame], None],
    prepare: Sides,
    condition: str,
    named: list[str],
) -> None:
    orders, deliveries = prepare(*sides)
    between = ("delivery_time", "order_time", "0 seconds", "10 minutes")

    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(orders, deliveries, "id", between=between))

    check(error.value, condition, *named)


@pytest.mark.parametrize("how", ["leftOuter", "rightOuter", "fullOuter", "leftSemi"])
def test_join_when_no_inner_join_and_without_bounds_then_is_refused(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None], how: str
) -> None:
    orders, deliveries = keyed(sides[0], 0), keyed(sides[1], 1)

    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(orders, deliveries, "id", how))

    check(error.value, "JOIN_UNBOUNDED", "order_time", "delivery_time")


def test_outer_join_when_its_times_are_bounded_in_one_direction_only_then_is_refused(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None]
) -> None:
    orders, deliveries = keyed(sides[0], 0), keyed(sides[1], 1)
    on = [orders.id == deliveries.id, deliveries.delivery_time >= orders.order_time]

    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(orders, deliveries, on, "leftOuter"))

    check(error.value, "JOIN_UNBOUNDED", "order_time", "delivery_time")


def test_inner_join_when_without_bounds_then_runs(
    orders: Feed, sides: tuple[DataFrame, DataFrame]
) -> None:
    pairs = tidegate.streamJoin(keyed(sides[0], 0), keyed(sides[1], 1), "id")

    assert len(orders.run(pairs)) == 1


@pytest.mark.usefixtures("unbounded_is_an_error")
def test_inner_join_when_without_bounds_and_that_is_an_error_then_is_refused(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None]
) -> None:
    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(keyed(sides[0], 0), keyed(sides[1], 1), "id"))

    check(error.value, "JOIN_UNBOUNDED", "order_time", "delivery_time")
