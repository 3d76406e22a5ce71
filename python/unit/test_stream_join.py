"""What `streamJoin` checks, and what it sends to the facade."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame
from pyspark.sql.classic.column import Column as ClassicColumn
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

import tidegate
from unit.fakes import FakeFacade, FakeJavaColumn

BETWEEN = ("delivery_time", "order_time", "0 seconds", "10 minutes")


@pytest.fixture
def other(df: DataFrame) -> DataFrame:
    """Return a second DataFrame without a JVM behind it."""
    return ClassicDataFrame("another Java DataFrame", df.sparkSession)


def column(text: str) -> Column:
    return ClassicColumn(FakeJavaColumn(text))


def test_call_when_only_a_name_is_given_then_sends_it_and_the_defaults(
    df: DataFrame, other: DataFrame, facade: FakeFacade
) -> None:
    result = tidegate.streamJoin(df, other, "order_id")

    assert facade.calls == [
        ("a Java DataFrame", "another Java DataFrame", ["order_id"], None, "inner", None)
    ]
    assert result._jdf == "a joined Java DataFrame"
    assert result.sparkSession is df.sparkSession


def test_call_when_all_is_given_then_sends_it_in_the_order_of_the_facade(
    df: DataFrame, other: DataFrame, facade: FakeFacade
) -> None:
    tidegate.streamJoin(df, other, on=("shop", "order_id"), how="leftOuter", between=BETWEEN)

    assert facade.calls == [
        (
            "a Java DataFrame",
            "another Java DataFrame",
            ["shop", "order_id"],
            None,
            "leftOuter",
            ["delivery_time", "order_time", "0 seconds", "10 minutes"],
        )
    ]


def test_method_when_called_on_a_dataframe_then_is_the_function(
    df: DataFrame, other: DataFrame, facade: FakeFacade
) -> None:
    df.streamJoin(other, on="id", between=BETWEEN)
    df.transform(tidegate.streamJoin, other, "id", between=BETWEEN)

    assert facade.calls[0] == facade.calls[1]


@pytest.mark.parametrize(
    ("on", "condition"),
    [
        (column("a"), "a"),
        ([column("a")], "a"),
        ((column("a"), column("b"), column("c")), "((a and b) and c)"),
    ],
    ids=["one", "list", "tuple"],
)
def test_on_when_conditions_then_all_of_them_have_to_hold(
    df: DataFrame, other: DataFrame, facade: FakeFacade, on: Any, condition: str
) -> None:
    tidegate.streamJoin(df, other, on)

    (_, _, names, java_column, _, _) = facade.calls[0]
    assert names is None
    assert java_column.text == condition


def test_between_when_its_durations_are_timedeltas_then_they_may_be_negative(
    df: DataFrame, other: DataFrame, facade: FakeFacade
) -> None:
    bounds = ("order_time", "delivery_time", timedelta(minutes=-10), timedelta(milliseconds=1))

    tidegate.streamJoin(df, other, "id", between=bounds)

    assert facade.calls[0][5] == [
        *("order_time", "delivery_time", "-600000000 microseconds", "1000 microseconds")
    ]


def test_between_when_a_list_then_is_taken_as_a_tuple(
    df: DataFrame, other: DataFrame, facade: FakeFacade
) -> None:
    tidegate.streamJoin(df, other, "id", between=list(BETWEEN))  # type: ignore[arg-type]

    assert facade.calls[0][5] == list(BETWEEN)


ON = "on must be the name of a column (a str), a condition (a Column) or a sequence of either"
TUPLE = "(time, base, lower, upper)"
EXAMPLE = "('delivery_time', 'order_time', '0 seconds', '10 minutes')"
DURATION = "a Spark interval string such as '5 seconds' or a datetime.timedelta"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"on": None}, f"{ON}, found NoneType: None."),
        ({"on": 5}, f"{ON}, found int: 5."),
        ({"on": ["shop", 5]}, f"{ON}, found int: 5."),
        (
            {"on": ["shop", column("a")]},
            "on must be names or conditions (Columns), not both, found ['shop', Column<'a'>].",
        ),
        (
            {"how": None},
            "how must be a type of join such as 'leftOuter' (a str), found NoneType: None.",
        ),
        (
            {"between": "delivery_time"},
            f"between must be a tuple {TUPLE} such as {EXAMPLE}, found str: 'delivery_time'.",
        ),
        ({"between": 5}, f"between must be a tuple {TUPLE} such as {EXAMPLE}, found int: 5."),
        (
            {"between": (5, *BETWEEN[1:])},
            "time in between must be the name of a column (a str), found int: 5.",
        ),
        (
            {"between": ("delivery_time", None, *BETWEEN[2:])},
            "base in between must be the name of a column (a str), found NoneType: None.",
        ),
        (
            {"between": (*BETWEEN[:2], 0, "10 minutes")},
            f"lower in between must be {DURATION}, found int: 0.",
        ),
        (
            {"between": (*BETWEEN[:2], Decimal("-1.5"), "10 minutes")},
            f"lower in between must be {DURATION}, found Decimal: Decimal('-1.5').",
        ),
        (
            {"between": (*BETWEEN[:3], None)},
            f"upper in between must be {DURATION}, found NoneType: None.",
        ),
    ],
)
def test_argument_when_of_a_wrong_type_then_the_sentence_names_found_and_wanted(
    df: DataFrame, other: DataFrame, facade: FakeFacade, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.streamJoin(df, other, **({"on": "order_id"} | arguments))

    assert str(error.value) == sentence
    assert facade.calls == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"on": []}, f"{ON}, found [], which is empty."),
        (
            {"on": "order_id", "between": BETWEEN[:3]},
            f"between must have four parts, {TUPLE}, such as {EXAMPLE}, found 3: "
            "('delivery_time', 'order_time', '0 seconds').",
        ),
    ],
)
def test_argument_when_of_a_wrong_length_then_the_sentence_says_so(
    df: DataFrame, other: DataFrame, facade: FakeFacade, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError) as error:
        tidegate.streamJoin(df, other, **arguments)

    assert str(error.value) == sentence
    assert facade.calls == []


@pytest.mark.parametrize(("side", "sides"), [("left", (5, None)), ("right", (None, 5))])
def test_side_when_no_dataframe_then_the_sentence_says_which(
    df: DataFrame, facade: FakeFacade, side: str, sides: tuple[Any, Any]
) -> None:
    left, right = (df if given is None else given for given in sides)

    with pytest.raises(TypeError) as error:
        tidegate.streamJoin(left, right, "order_id")

    assert str(error.value) == f"{side} must be a pyspark.sql.DataFrame, found int: 5."
    assert facade.calls == []
