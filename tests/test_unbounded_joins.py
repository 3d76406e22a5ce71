"""Joins whose times are not bounded in both directions: their state would grow for ever."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

import tidegate
from feeds import Feed, counts
from pairs import BETWEEN, keyed, timed
from refusals import check
from tidegate.joins import How

UNBOUNDED = "spark.tidegate.join.unbounded"


@pytest.fixture
def unbounded(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    """Set what an inner join gets whose state grows for ever."""
    spark.conf.set(UNBOUNDED, request.param)
    yield
    spark.conf.unset(UNBOUNDED)


@pytest.fixture
def log(spark: SparkSession) -> Iterator[Callable[[], list[str]]]:
    """Return a function that gives what the driver has logged."""
    jvm: Any = spark._jvm
    log4j = jvm.org.apache.logging.log4j
    logger = log4j.LogManager.getRootLogger()
    text = jvm.java.io.StringWriter()
    create = log4j.core.appender.WriterAppender.createAppender
    appender = create(None, None, text, "test", False, True)
    appender.start()
    logger.addAppender(appender)
    yield lambda: str(text.toString()).splitlines()
    logger.removeAppender(appender)


@pytest.fixture
def sides(orders: Feed, deliveries: Feed) -> tuple[DataFrame, DataFrame]:
    """Return two streams with a watermark on each, and a pair in them."""
    orders.add(("12:00:10", 1))
    deliveries.add(("12:00:10", 1))
    return keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)


def grows(join: str) -> str:
    return (
        f"The state of the {join} join of two streams grows without limit: nothing bounds "
        "`delivery_time` of the right side by `order_time` of the left side in both directions; "
        "add a condition such as delivery_time BETWEEN order_time - INTERVAL 10 MINUTES AND "
        "order_time + INTERVAL 10 MINUTES, or join on equal times or windows"
        + (
            ", or set spark.tidegate.join.timeToLive to how far they may be apart"
            * (join == "INNER")
        )
        + "."
    )


@pytest.mark.parametrize(
    ("how", "join"),
    [
        ("leftOuter", "LEFT OUTER"),
        ("rightOuter", "RIGHT OUTER"),
        ("fullOuter", "FULL OUTER"),
        ("leftSemi", "LEFT SEMI"),
    ],
)
def test_join_when_no_inner_join_and_without_bounds_then_is_refused(
    sides: tuple[DataFrame, DataFrame], how: How, join: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(*sides, "order_id", how)

    check(error.value, "JOIN_UNBOUNDED", grows(join), "42K0E")


def test_outer_join_when_its_times_are_bounded_in_one_direction_only_then_is_refused(
    sides: tuple[DataFrame, DataFrame],
) -> None:
    orders, deliveries = sides
    on = [orders.order_id == deliveries.order_id, deliveries.delivery_time >= orders.order_time]

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(orders, deliveries, on, "leftOuter")

    check(error.value, "JOIN_UNBOUNDED", grows("LEFT OUTER"), "42K0E")


def test_outer_join_when_one_side_has_no_watermark_then_the_sentence_says_which(
    orders: Feed, deliveries: Feed
) -> None:
    left, right = keyed(orders, "order", 0), timed(deliveries.stream(), "delivery")

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(left, right, "order_id", "leftOuter")

    check(
        error.value,
        "JOIN_UNBOUNDED",
        "The state of the LEFT OUTER join of two streams grows without limit: its right side has "
        "no column with a watermark key, the left side has `order_time`; call withKeyedWatermark "
        "on the right side before the join, and compare the two times in both directions.",
        "42K0E",
    )


def test_inner_join_when_without_bounds_then_runs_and_warns_that_its_state_grows(
    orders: Feed, sides: tuple[DataFrame, DataFrame], log: Callable[[], list[str]]
) -> None:
    rows = orders.run(tidegate.streamJoin(*sides, "order_id").select("order_id"))

    assert rows == [(1,)]
    warnings = [line for line in log() if "UNBOUNDED" in line]
    assert warnings == [f"[TIDEGATE_JOIN_UNBOUNDED] {grows('INNER')} SQLSTATE: 42K0E"]


def test_inner_join_when_with_bounds_then_does_not_warn(
    orders: Feed, sides: tuple[DataFrame, DataFrame], log: Callable[[], list[str]]
) -> None:
    rows = orders.run(tidegate.streamJoin(*sides, "order_id", between=BETWEEN).select("order_id"))

    assert rows == [(1,)]
    assert [line for line in log() if "UNBOUNDED" in line] == []


@pytest.mark.parametrize("unbounded", ["error"], indirect=True)
@pytest.mark.usefixtures("unbounded")
def test_inner_join_when_without_bounds_and_that_is_an_error_then_is_refused(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None]
) -> None:
    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(*sides, "order_id"))

    check(error.value, "JOIN_UNBOUNDED", grows("INNER"), "42K0E")


@pytest.mark.parametrize("unbounded", ["sometimes"], indirect=True)
@pytest.mark.usefixtures("unbounded")
def test_inner_join_when_the_setting_is_unknown_then_the_sentence_says_what_it_may_be(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None]
) -> None:
    with pytest.raises(AnalysisException) as error:
        start(tidegate.streamJoin(*sides, "order_id"))

    check(
        error.value,
        "INVALID_SETTING",
        "The setting spark.tidegate.join.unbounded is 'sometimes', but must be 'warn' or 'error'.",
        "22023",
    )


def test_windows_when_over_a_join_without_bounds_then_the_sentence_says_that_it_needs_them(
    sides: tuple[DataFrame, DataFrame], start: Callable[[DataFrame], None]
) -> None:
    with pytest.raises(AnalysisException) as error:
        start(counts(tidegate.streamJoin(*sides, "order_id"), "order_time"))

    check(
        error.value,
        "KEY_NOT_AVAILABLE",
        "The operator `aggregate` runs on the column `window` with the watermark key 0, but that "
        "key does not reach it: the join before it has no bound for this time, so that its state "
        "may emit rows of any age; compare it with a time of the other side, such as "
        "l >= r - interval 10 minutes AND l <= r + interval 10 minutes.",
        "42K0E",
    )
