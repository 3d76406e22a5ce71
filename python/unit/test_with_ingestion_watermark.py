"""What `withIngestionWatermark` checks, and what it sends to the facade."""

import inspect
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame

import tidegate
from unit.fakes import FakeFacade

DURATION = "a Spark interval string such as '5 seconds' or a datetime.timedelta"


def test_call_when_only_a_lag_is_given_then_sends_the_defaults(
    df: DataFrame, facade: FakeFacade
) -> None:
    result = tidegate.withIngestionWatermark(df, "order_time", "1 minute")

    expected = {
        "key": 0,
        "maxEventTimeLag": "1 minute",
        "ingestionTime": "timestamp",
        "maxIdleLag": "10 seconds",
        "idleTimeout": None,
        "flush": False,
    }
    assert facade.calls == [("a Java DataFrame", "order_time", expected)]
    assert result._jdf == "a Java DataFrame with a watermark"


def test_call_when_all_is_given_then_sends_it_by_name(df: DataFrame, facade: FakeFacade) -> None:
    tidegate.withIngestionWatermark(
        df,
        "order_time",
        timedelta(minutes=1),
        "appended",
        ("topic", "partition"),
        maxIdleLag="2 seconds",
        key=3,
        emission=tidegate.byFrame("1 second"),
        name="orders",
        flush=True,
        maxFutureSkew="1 hour",
        idleTimeout=timedelta(seconds=2),
        idleBehind="2 minutes",
        lateRows="/data/late",
        allowedLateness="1 hour",
    )

    assert facade.calls == [
        (
            "a Java DataFrame",
            "order_time",
            {
                "key": 3,
                "maxEventTimeLag": "60000000 microseconds",
                "ingestionTime": "appended",
                "substream": ["topic", "partition"],
                "maxIdleLag": "2 seconds",
                "idleTimeout": "2000000 microseconds",
                "emission": ["byFrame", "1 second", "0 microseconds"],
                "name": "orders",
                "maxFutureSkew": "1 hour",
                "flush": True,
                "idleBehind": "2 minutes",
                "lateRows": "/data/late",
                "allowedLateness": "1 hour",
            },
        )
    ]
    known = set(inspect.signature(tidegate.withIngestionWatermark).parameters)
    assert set(facade.calls[0][2]) == known - {"df", "eventTime", "lag"}


def test_method_when_called_on_a_dataframe_then_is_the_function(
    df: DataFrame, facade: FakeFacade
) -> None:
    df.withIngestionWatermark("t", "1 minute")
    df.transform(tidegate.withIngestionWatermark, "t", "1 minute")

    assert facade.calls[0] == facade.calls[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eventTime": 1}, "eventTime must be the name of a column (a str), found int: 1."),
        ({"maxEventTimeLag": 1}, f"maxEventTimeLag must be {DURATION}, found int: 1."),
        ({"ingestionTime": 1}, "ingestionTime must be the name of a column (a str), found int: 1."),
        ({"idleBehind": 1}, f"idleBehind must be {DURATION}, found int: 1."),
        ({"maxIdleLag": None}, f"maxIdleLag must be {DURATION}, found NoneType: None."),
    ],
)
def test_argument_when_of_a_wrong_type_then_is_refused(
    df: DataFrame, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        tidegate.withIngestionWatermark(
            df, **{"eventTime": "t", "maxEventTimeLag": "1 minute", **arguments}
        )

    assert str(refused.value) == message
