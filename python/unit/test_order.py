"""What `orderByEventTime` checks, and what it sends to the facade or to a Spark Connect server."""

from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

import tidegate
from unit.fakes import FakeConnectDataFrame, FakeConnectSession, FakeFacade


def test_call_when_nothing_is_given_then_sends_the_defaults(
    df: DataFrame, facade: FakeFacade
) -> None:
    result = tidegate.orderByEventTime(df)

    assert facade.calls == [("a Java DataFrame", [], None)]
    assert result._jdf == "an ordered Java DataFrame"
    assert result.sparkSession is df.sparkSession


@pytest.mark.parametrize("columns", ["sensor", ["sensor"], ("sensor",)])
def test_call_when_all_is_given_then_sends_it(
    df: DataFrame, facade: FakeFacade, columns: Any
) -> None:
    tidegate.orderByEventTime(df, columns, eventTime="time")

    assert facade.calls == [("a Java DataFrame", ["sensor"], "time")]


def test_method_when_called_on_a_dataframe_then_is_the_function(
    df: DataFrame, facade: FakeFacade
) -> None:
    df.orderByEventTime(partitionBy=["a"])
    df.transform(tidegate.orderByEventTime, ["a"])

    assert facade.calls[0] == facade.calls[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"partitionBy": 5},
            "partitionBy must be the name of a column (a str) or a sequence of these, found int: "
            "5.",
        ),
        (
            {"partitionBy": ["a", None]},
            "partitionBy must be the name of a column (a str) or a sequence of these, found "
            "NoneType: None.",
        ),
        ({"eventTime": 5}, "eventTime must be the name of a column (a str), found int: 5."),
    ],
)
def test_argument_when_of_the_wrong_type_then_says_which(
    df: DataFrame, facade: FakeFacade, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.orderByEventTime(df, **arguments)

    assert str(error.value) == message
    assert facade.calls == []


def test_dataframe_when_it_is_none_then_says_so(facade: FakeFacade) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.orderByEventTime(5)  # type: ignore[arg-type]

    assert str(error.value) == "df must be a pyspark.sql.DataFrame, found int: 5."


@pytest.fixture
def session() -> FakeConnectSession:
    """Return a session of Spark Connect without a server."""
    return FakeConnectSession()


@pytest.fixture
def connect_df(session: FakeConnectSession) -> FakeConnectDataFrame:
    """Return a DataFrame of that session."""
    return FakeConnectDataFrame(session, "events")


def test_connect_when_all_is_given_then_every_name_is_in_the_call(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    result: Any = tidegate.orderByEventTime(connect_df, ["a b", "c"], "time")

    assert session.calls == [
        (
            "SELECT * FROM ORDER_BY_TIME(TABLE({df}), DESCRIPTOR('time'), partition_by => :p0)",
            {"p0": ["a b", "c"]},
            connect_df,
        )
    ]
    assert result.made_by == "result"


def test_connect_when_nothing_is_given_then_the_server_finds_the_column(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    tidegate.orderByEventTime(connect_df)

    assert session.calls == [("SELECT * FROM ORDER_BY_TIME(TABLE({df}))", {}, connect_df)]


def test_extension_when_missing_on_the_server_then_says_how_to_start_it(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    session.failure = AnalysisException(
        "Could not resolve `ORDER_BY_TIME` to a table-valued function.",
        "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
        {"name": "`ORDER_BY_TIME`"},
    )

    with pytest.raises(tidegate.MissingExtensionError) as error:
        tidegate.orderByEventTime(connect_df)

    assert str(error.value).startswith(
        "The Spark Connect server runs without the Tidegate extension. Start the server with"
    )
