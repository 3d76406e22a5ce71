"""What `withKeyedWatermark` checks, and what it sends to the facade."""

import inspect
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame

import tidegate
from unit.fakes import FakeFacade


def test_call_when_only_a_lag_is_given_then_sends_a_fixed_lag_and_the_defaults(
    df: DataFrame, facade: FakeFacade
) -> None:
    result = tidegate.withKeyedWatermark(df, "order_time", "5 seconds")

    expected = {
        "key": 0,
        "policy": ["fixedLag", "5 seconds"],
        "idleTimeout": "60 seconds",
        "flush": False,
    }
    assert facade.calls == [("a Java DataFrame", "order_time", expected)]
    assert result._jdf == "a Java DataFrame with a watermark"


def test_call_when_all_is_given_then_sends_it_by_name(df: DataFrame, facade: FakeFacade) -> None:
    tidegate.withKeyedWatermark(
        df,
        "order_time",
        key=3,
        policy=tidegate.limitingLagAndLull("5 seconds", timedelta(minutes=1)),
        substream=("topic", "partition"),
        idleTimeout=timedelta(seconds=2),
        emission=tidegate.byFrame("1 second", offset="500 milliseconds"),
        name="orders",
        maxFutureSkew="1 hour",
        flush=True,
        idleBehind=timedelta(minutes=2),
        lateRows="/data/late",
        allowedLateness="1 hour",
    )

    assert facade.calls == [
        (
            "a Java DataFrame",
            "order_time",
            {
                "key": 3,
                "policy": ["limitingLagAndLull", "5 seconds", "60000000 microseconds"],
                "substream": ["topic", "partition"],
                "idleTimeout": "2000000 microseconds",
                "emission": ["byFrame", "1 second", "500 milliseconds"],
                "name": "orders",
                "maxFutureSkew": "1 hour",
                "flush": True,
                "idleBehind": "120000000 microseconds",
                "lateRows": "/data/late",
                "allowedLateness": "1 hour",
            },
        )
    ]
    known = set(inspect.signature(tidegate.withKeyedWatermark).parameters)
    assert set(facade.calls[0][2]) == known - {"df", "eventTime", "lag"}


def test_method_when_called_on_a_dataframe_then_is_the_function(
    df: DataFrame, facade: FakeFacade
) -> None:
    df.withKeyedWatermark("t", "0 seconds")
    df.transform(tidegate.withKeyedWatermark, "t", "0 seconds")

    assert facade.calls[0] == facade.calls[1]


def test_substream_when_a_single_name_then_is_a_list_of_one(
    df: DataFrame, facade: FakeFacade
) -> None:
    tidegate.withKeyedWatermark(df, "t", "5 seconds", substream="partition")

    assert facade.calls[0][2]["substream"] == ["partition"]


def test_idle_timeout_when_none_then_is_never(df: DataFrame, facade: FakeFacade) -> None:
    tidegate.withKeyedWatermark(df, "t", "5 seconds", idleTimeout=None)

    assert facade.calls[0][2]["idleTimeout"] is None


DURATION = "a Spark interval string such as '5 seconds' or a datetime.timedelta"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"eventTime": 5}, "eventTime must be the name of a column (a str), found int: 5."),
        ({"lag": 5}, f"lag must be {DURATION}, found int: 5."),
        ({"key": "0"}, "key must be an int from 0 to 127, found str: '0'."),
        ({"key": True}, "key must be an int from 0 to 127, found bool: True."),
        (
            {"lag": None, "policy": "fixedLag"},
            "policy must be a policy such as fixedLag('5 seconds'), found str: 'fixedLag'.",
        ),
        (
            {"substream": ["topic", 1]},
            "substream must be the name of a column (a str) or a sequence of these, found int: 1.",
        ),
        (
            {"substream": 1},
            "substream must be the name of a column (a str) or a sequence of these, found int: 1.",
        ),
        ({"idleTimeout": 2.5}, f"idleTimeout must be {DURATION}, found float: 2.5."),
        (
            {"emission": "1 second"},
            "emission must be an emission such as byFrame('1 second'), found str: '1 second'.",
        ),
        ({"name": 1}, "name must be a name (a str), found int: 1."),
        ({"maxFutureSkew": 1}, f"maxFutureSkew must be {DURATION}, found int: 1."),
        ({"flush": 1}, "flush must be True or False (a bool), found int: 1."),
    ],
)
def test_argument_when_of_a_wrong_type_then_the_sentence_names_found_and_wanted(
    df: DataFrame, facade: FakeFacade, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.withKeyedWatermark(df, **({"eventTime": "t", "lag": "5 seconds"} | arguments))

    assert str(error.value) == sentence
    assert facade.calls == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"lag": "5 seconds", "key": 128}, "key must be an int from 0 to 127, found 128."),
        ({"lag": "5 seconds", "key": -1}, "key must be an int from 0 to 127, found -1."),
        (
            {},
            "withKeyedWatermark takes exactly one of lag and policy, found neither. Add a lag such "
            "as '5 seconds'.",
        ),
        (
            {"lag": "5 seconds", "policy": tidegate.fixedLag("1 second")},
            "withKeyedWatermark takes exactly one of lag and policy, found both: lag='5 seconds', "
            "policy=Policy(name='fixedLag', arguments=('1 second',)).",
        ),
    ],
)
def test_argument_when_of_a_wrong_value_then_the_sentence_says_so(
    df: DataFrame, facade: FakeFacade, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError) as error:
        tidegate.withKeyedWatermark(df, "t", **arguments)

    assert str(error.value) == sentence
    assert facade.calls == []


def test_df_when_no_dataframe_then_the_sentence_says_what_was_found(facade: FakeFacade) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.withKeyedWatermark("orders", "t", "5 seconds")  # type: ignore[arg-type]

    assert str(error.value) == "df must be a pyspark.sql.DataFrame, found str: 'orders'."
