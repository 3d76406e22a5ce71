"""What `streamJoin` refuses arrives as an AnalysisException with a sentence."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from pairs import BETWEEN, joined
from refusals import check
from tidegate.joins import How


@pytest.fixture
def sides(orders: Feed, deliveries: Feed) -> tuple[DataFrame, DataFrame]:
    """Return two streams, one with an order_time and one with a delivery_time."""
    orders.add(("12:00:10", 0))
    deliveries.add(("12:00:10", 0))
    return (
        orders.stream().select("id", F.col("time").alias("order_time")),
        deliveries.stream().select("id", F.col("time").alias("delivery_time")),
    )


@pytest.fixture
def keyed_sides(sides: tuple[DataFrame, DataFrame]) -> tuple[DataFrame, DataFrame]:
    """Return the two streams with a watermark on each."""
    return keyed(sides[0], 0), keyed(sides[1], 1)


def keyed(side: DataFrame, key: int) -> DataFrame:
    """Give the time column of a side, which is its last, a watermark."""
    return tidegate.withKeyedWatermark(side, side.columns[-1], "5 seconds", key)


def keyed_before_renaming(side: DataFrame, key: int) -> DataFrame:
    """Give the time column a watermark under a name that both sides have."""
    named = tidegate.withKeyedWatermark(
        side.withColumnRenamed(side.columns[-1], "time"), "time", "5 seconds", key
    )
    return named.withColumnRenamed("time", side.columns[-1])


def no_time_zone(side: DataFrame) -> DataFrame:
    return side.select("id", F.col(side.columns[-1]).cast("timestamp_ntz").alias(side.columns[-1]))


NO_COLUMN = "The argument `between` names the time column"
LEFT_COLUMNS = "Use one of its columns: `id`, `order_time`."
RIGHT_COLUMNS = "Use one of its columns: `id`, `delivery_time`."
NO_DURATION = (
    "which is not a duration. Use an interval without months or years, in whole milliseconds, for "
    "example '5 seconds'."
)


@pytest.mark.parametrize(
    ("between", "condition", "sentence", "state"),
    [
        (
            ("delivered", "order_time", "0 seconds", "10 minutes"),
            "BETWEEN_COLUMN_NOT_FOUND",
            f"{NO_COLUMN} `delivered`, which does not exist on the right side. {RIGHT_COLUMNS}",
            "42703",
        ),
        (
            ("delivery_time", "ordered", "0 seconds", "10 minutes"),
            "BETWEEN_COLUMN_NOT_FOUND",
            f"{NO_COLUMN} `ordered`, which does not exist on the left side. {LEFT_COLUMNS}",
            "42703",
        ),
        (
            ("order_time", "delivered", "-10 minutes", "0 seconds"),
            "BETWEEN_COLUMN_NOT_FOUND",
            f"{NO_COLUMN} `delivered`, which does not exist on the right side. {RIGHT_COLUMNS}",
            "42703",
        ),
        (
            ("ordered", "delivery_time", "-10 minutes", "0 seconds"),
            "BETWEEN_COLUMN_NOT_FOUND",
            f"{NO_COLUMN} `ordered`, which does not exist on the left side. {LEFT_COLUMNS}",
            "42703",
        ),
        (
            ("delivery_time", "id", "0 seconds", "10 minutes"),
            "BETWEEN_NOT_TIMESTAMP",
            "The argument `between` names the column `id`, which has the type BIGINT, but must be "
            "a TIMESTAMP or TIMESTAMP_NTZ. Convert it first, for example with to_timestamp or "
            "timestamp_millis.",
            "42K09",
        ),
        (
            ("delivery_time", "order_time", "10 minutes", "0 seconds"),
            "BETWEEN_ORDER",
            "The argument `between` has the lower bound '10 minutes' above the upper bound '0 "
            "seconds', so that no rows would match. Swap the two.",
            "22023",
        ),
        (
            ("delivery_time", "order_time", "0 seconds", "10 parsecs"),
            "INVALID_DURATION",
            f"The argument `between` is '10 parsecs', {NO_DURATION}",
            "22006",
        ),
        (
            ("delivery_time", "order_time", "-1 month", "0 seconds"),
            "INVALID_DURATION",
            f"The argument `between` is '-1 month', {NO_DURATION}",
            "22006",
        ),
    ],
)
def test_between_when_not_usable_then_the_sentence_says_why(
    keyed_sides: tuple[DataFrame, DataFrame],
    between: Any,
    condition: str,
    sentence: str,
    state: str,
) -> None:
    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(*keyed_sides, "id", between=between)

    check(error.value, condition, sentence, state)


def test_between_when_not_usable_then_is_refused_in_batch_too(feed: Feed) -> None:
    feed.add(("12:00:10", 0))
    rows = feed.batch()

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(rows, rows, "id", between=("time", "time", "1 second", "0 seconds"))

    assert error.value.getCondition() == "TIDEGATE_BETWEEN_ORDER"


KEY_CONFLICT = (
    "Both sides of the join use the watermark key 5, the left one for `order_time` and the right "
    "one for `delivery_time`: one key is one notion of time. Give one of them another key, for "
    "example withKeyedWatermark('delivery_time', ..., key=1)."
)
Sides = Callable[[DataFrame, DataFrame], tuple[DataFrame, DataFrame]]


@pytest.mark.parametrize(
    ("prepare", "condition", "sentence", "state"),
    [
        (
            lambda orders, deliveries: (keyed(orders, 0), keyed(no_time_zone(deliveries), 1)),
            "BETWEEN_TYPES",
            "The argument `between` compares `delivery_time` of type TIMESTAMP_NTZ with "
            "`order_time` of type TIMESTAMP. Use two columns of the same type: cast one of them "
            "before its withKeyedWatermark.",
            "42K09",
        ),
        (
            lambda orders, deliveries: (keyed(orders, 0), deliveries),
            "BETWEEN_NOT_KEYED",
            "The argument `between` names the time column `delivery_time` of the right side, which "
            "has no watermark key. Call withKeyedWatermark on it before the join.",
            "42K0E",
        ),
        (
            lambda orders, deliveries: (orders, keyed(deliveries, 1)),
            "BETWEEN_NOT_KEYED",
            "The argument `between` names the time column `order_time` of the left side, which "
            "has no watermark key. Call withKeyedWatermark on it before the join.",
            "42K0E",
        ),
        (
            lambda orders, deliveries: (keyed(orders, 5), keyed(deliveries, 5)),
            "JOIN_KEY_CONFLICT",
            KEY_CONFLICT,
            "42713",
        ),
        (
            lambda orders, deliveries: (
                keyed_before_renaming(orders, 5),
                keyed_before_renaming(deliveries, 5),
            ),
            "JOIN_KEY_CONFLICT",
            KEY_CONFLICT,
            "42713",
        ),
    ],
    ids=["types", "right-not-keyed", "left-not-keyed", "same-key", "same-key-then-renamed"],
)
def test_sides_when_they_do_not_fit_together_then_the_sentence_names_their_columns(
    sides: tuple[DataFrame, DataFrame],
    prepare: Sides,
    condition: str,
    sentence: str,
    state: str,
) -> None:
    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(*prepare(*sides), "id", between=BETWEEN)

    check(error.value, condition, sentence, state)


@pytest.mark.parametrize(
    ("how", "mode", "sentence"),
    [
        (
            "leftOuter",
            "update",
            "[TIDEGATE_JOIN_OUTPUT_MODE] The LEFT OUTER join of two streams emits a row when no "
            "partner can come any more, which works in output mode append, but the output mode of "
            "the query is update. Use outputMode('append'). SQLSTATE: 42KDE",
        ),
        (
            "inner",
            "complete",
            "[STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION] Invalid streaming output mode: "
            "complete. This output mode is not supported for no streaming aggregations on "
            "streaming DataFrames/DataSets. SQLSTATE: 42KDE",
        ),
    ],
)
def test_join_when_not_run_in_an_output_mode_then_the_sentence_arrives(
    orders: Feed, deliveries: Feed, how: How, mode: str, sentence: str
) -> None:
    orders.add(("12:00:10", 0))

    with pytest.raises(AnalysisException) as error:
        orders.run(joined(orders, deliveries, how), mode)

    assert str(error.value).splitlines()[0] == sentence


@pytest.mark.parametrize(
    ("on", "how", "condition"),
    [
        ("nowhere", "inner", "UNRESOLVED_USING_COLUMN_FOR_JOIN"),
        ("id", "sideways", "UNSUPPORTED_JOIN_TYPE"),
    ],
)
def test_argument_when_dataframe_join_refuses_it_then_so_does_a_stream_join(
    keyed_sides: tuple[DataFrame, DataFrame], on: str, how: How, condition: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(*keyed_sides, on, how, BETWEEN)

    assert error.value.getCondition() == condition
