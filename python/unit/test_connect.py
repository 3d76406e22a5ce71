"""The statements that the functions send to a Spark Connect server."""

from datetime import timedelta
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql.classic.column import Column as ClassicColumn

import tidegate
from unit.fakes import FakeConnectColumn, FakeConnectDataFrame, FakeConnectSession, FakeJavaColumn

BETWEEN = ("delivery_time", "order_time", "0 seconds", "10 minutes")


@pytest.fixture
def session() -> FakeConnectSession:
    """Return a session of Spark Connect without a server."""
    return FakeConnectSession()


@pytest.fixture
def connect_df(session: FakeConnectSession) -> FakeConnectDataFrame:
    """Return a DataFrame of that session."""
    return FakeConnectDataFrame(session, "orders")


@pytest.fixture
def other(session: FakeConnectSession) -> FakeConnectDataFrame:
    """Return a second DataFrame of that session."""
    return FakeConnectDataFrame(session, "deliveries")


def condition(text: str) -> Column:
    return FakeConnectColumn(text)


def test_watermark_when_only_a_lag_is_given_then_calls_with_it_and_the_defaults(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    result: Any = tidegate.withKeyedWatermark(connect_df, "order_time", "5 seconds")

    assert session.calls == [
        (
            "SELECT * FROM KEYED_WATERMARK(TABLE({df}), DESCRIPTOR('order_time'), "
            "key => :p0, policy => fixedLag(:p1), idle_timeout => :p2, flush => :p3)",
            {"p0": 0, "p1": "5 seconds", "p2": "60 seconds", "p3": False},
            connect_df,
        )
    ]
    assert result.made_by == "result"


def test_watermark_when_all_is_given_then_every_value_but_the_column_is_a_parameter(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    tidegate.withKeyedWatermark(
        connect_df,
        "order_time",
        key=3,
        policy=tidegate.limitingLagAndLull("5 seconds", timedelta(minutes=1)),
        substream=("topic", "partition"),
        idleTimeout=timedelta(seconds=2),
        emission=tidegate.byFrame("1 second", offset="500 milliseconds"),
        name="orders",
        maxFutureSkew="1 hour",
        flush=True,
        idleBehind="2 minutes",
        lateRows="/data/late",
        allowedLateness="1 hour",
    )

    (text, values, _) = session.calls[0]
    assert text == (
        "SELECT * FROM KEYED_WATERMARK(TABLE({df}), DESCRIPTOR('order_time'), key => :p0, "
        "policy => limitingLagAndLull(:p1, :p2), substream => :p3, "
        "idle_timeout => :p4, emission => byFrame(:p5, :p6), name => :p7, max_future_skew => :p8, "
        "flush => :p9, idle_behind => :p10, late_rows => :p11, "
        "allowed_lateness => :p12)"
    )
    assert list(values.values()) == [
        3,
        "5 seconds",
        "60000000 microseconds",
        ["topic", "partition"],
        "2000000 microseconds",
        "1 second",
        "500 milliseconds",
        "orders",
        "1 hour",
        True,
        "2 minutes",
        "/data/late",
        "1 hour",
    ]


def test_ingestion_watermark_when_called_then_has_its_own_arguments(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    tidegate.withIngestionWatermark(
        connect_df, "order_time", "1 minute", "appended", "partition", lateRows="/late"
    )

    (text, values, _) = session.calls[0]
    assert text == (
        "SELECT * FROM KEYED_WATERMARK(TABLE({df}), DESCRIPTOR('order_time'), key => :p0, "
        "max_event_time_lag => :p1, ingestion_time => DESCRIPTOR('appended'), substream => :p2, "
        "max_idle_lag => :p3, idle_timeout => :p4, flush => :p5, late_rows => :p6)"
    )
    assert list(values.values()) == [
        0,
        "1 minute",
        ["partition"],
        "10 seconds",
        None,
        False,
        "/late",
    ]


def test_watermark_when_never_idle_then_the_timeout_is_null(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    tidegate.withKeyedWatermark(connect_df, "order_time", "5 seconds", idleTimeout=None)

    (text, values, _) = session.calls[0]
    assert "idle_timeout => :p2, " in text
    assert values["p2"] is None


@pytest.mark.parametrize("name", ["{df}", "it's", 'a"b', ":p1", "\\", "t) --", "a\nb", ""])
def test_watermark_when_a_name_has_signs_of_sql_then_the_text_stays_the_same(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, name: str
) -> None:
    tidegate.withKeyedWatermark(connect_df, name, "5 seconds", substream=name, name=name)
    tidegate.withKeyedWatermark(connect_df, "?", "5 seconds", substream="s", name="n")

    ((text, values, _), (plain, _, _)) = session.calls
    assert text == plain
    assert "DESCRIPTOR(:p0)" in text
    assert (values["p0"], values["p3"], values["p5"]) == (name, [name], name)


def test_watermark_when_called_as_a_method_then_is_the_function(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    connect_df.withKeyedWatermark("t", "0 seconds")
    tidegate.withKeyedWatermark(connect_df, "t", "0 seconds")

    assert session.calls[0] == session.calls[1]


def test_join_when_it_has_bounds_then_they_are_added_to_the_join(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, other: FakeConnectDataFrame
) -> None:
    bounds = ("delivery_time", "o.`order time`", timedelta(minutes=-1), "10 minutes")
    result: Any = tidegate.streamJoin(connect_df, other, "order_id", "leftOuter", bounds)

    ((text, values, joined),) = session.calls
    assert text == (
        "SELECT * FROM BOUND_JOIN(TABLE({df}), DESCRIPTOR('delivery_time'), "
        "DESCRIPTOR('o.`order time`'), :p0, :p1)"
    )
    assert list(values.values()) == ["-60000000 microseconds", "10 minutes"]
    made_by = ("join", "orders", "deliveries", ["order_id"], "leftOuter")
    assert isinstance(joined, FakeConnectDataFrame)
    assert joined.made_by == ("hint", "tidegate_bounds_follow", made_by)
    assert result.made_by == "result"


def test_as_of_join_when_called_then_is_made_of_the_join(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, other: FakeConnectDataFrame
) -> None:
    tidegate.asOfJoin(
        connect_df, other, "id", "order_time", how="left", tolerance=timedelta(minutes=1)
    )
    tidegate.asOfJoin(connect_df, other, "id")

    ((text, values, joined), (plain, none, _)) = session.calls
    assert text == (
        "SELECT * FROM AS_OF_JOIN(TABLE({df}), left_time => DESCRIPTOR('order_time'), "
        "tolerance => :p0)"
    )
    assert list(values.values()) == ["60000000 microseconds"]
    assert isinstance(joined, FakeConnectDataFrame)
    made_by = ("join", "orders", "deliveries", ["id"], "left")
    assert joined.made_by == ("hint", "tidegate_bounds_follow", made_by)
    assert (plain, none) == ("SELECT * FROM AS_OF_JOIN(TABLE({df}))", {})


def test_join_when_it_has_no_bounds_then_is_the_join_of_spark(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, other: FakeConnectDataFrame
) -> None:
    conditions = [condition("a"), condition("b")]

    joined: Any = tidegate.streamJoin(connect_df, other, conditions)

    (kind, left, right, on, how) = joined.made_by
    assert (kind, left, right, how) == ("join", "orders", "deliveries", "inner")
    assert on.text == "(a and b)"
    assert session.calls == []


MIXED = (
    "streamJoin joins two DataFrames of one session, found some of a Spark Connect session and "
    "some of classic PySpark: "
)


def test_join_when_one_side_is_of_classic_pyspark_then_says_which(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, df: DataFrame
) -> None:
    with pytest.raises(tidegate.UnsupportedSessionError) as left:
        tidegate.streamJoin(df, connect_df, "order_id")
    with pytest.raises(tidegate.UnsupportedSessionError) as right:
        tidegate.streamJoin(connect_df, df, "order_id")

    connect, classic = "of Spark Connect", "of classic PySpark"
    assert str(left.value) == f"{MIXED}left is {classic}, right is {connect}."
    assert str(right.value) == f"{MIXED}left is {connect}, right is {classic}."


def test_join_when_its_condition_is_of_another_kind_then_says_so(
    connect_df: FakeConnectDataFrame, other: FakeConnectDataFrame, df: DataFrame
) -> None:
    connect, classic = "of Spark Connect", "of classic PySpark"
    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        tidegate.streamJoin(connect_df, other, ClassicColumn(FakeJavaColumn("a")))
    with pytest.raises(tidegate.UnsupportedSessionError) as reverse:
        tidegate.streamJoin(df, df, condition("a"))

    assert str(error.value) == (
        f"{MIXED}left is {connect}, right is {connect}, the condition is {classic}."
    )
    assert str(reverse.value) == (
        f"{MIXED}left is {classic}, right is {classic}, the condition is {connect}."
    )


@pytest.mark.parametrize("side", ["left", "right"])
def test_join_when_a_side_is_no_dataframe_then_says_which(
    connect_df: FakeConnectDataFrame, side: str
) -> None:
    sides: dict[str, Any] = {"left": connect_df, "right": connect_df} | {side: 5}

    with pytest.raises(TypeError) as error:
        tidegate.streamJoin(**sides, on="order_id")

    assert str(error.value) == f"{side} must be a pyspark.sql.DataFrame, found int: 5."


def unresolved(routine: str) -> AnalysisException:
    parameters = {"routineName": routine, "searchPath": "[`system`.`builtin`]"}
    return AnalysisException(f"Cannot resolve {routine}", "UNRESOLVED_ROUTINE", parameters)


def test_extension_when_missing_on_the_server_then_says_how_to_start_it(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame, other: FakeConnectDataFrame
) -> None:
    session.failure = unresolved("`DESCRIPTOR`")

    with pytest.raises(tidegate.MissingExtensionError) as watermark:
        tidegate.withKeyedWatermark(connect_df, "order_time", "5 seconds")
    with pytest.raises(tidegate.MissingExtensionError) as join:
        tidegate.streamJoin(connect_df, other, "order_id", between=BETWEEN)

    assert str(watermark.value) == str(join.value)
    assert str(join.value) == (
        "The Spark Connect server runs without the Tidegate extension. Start the server with "
        "--jars <the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions; "
        "tidegate.jarPath() is the jar for this PySpark."
    )


def test_error_when_of_the_query_itself_then_is_not_hidden(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    session.failure = unresolved("`my_function`")

    with pytest.raises(AnalysisException):
        tidegate.withKeyedWatermark(connect_df, "order_time", "5 seconds")


def test_call_when_refused_then_the_error_has_no_place_in_the_statement_behind_it(
    session: FakeConnectSession, connect_df: FakeConnectDataFrame
) -> None:
    refused = AnalysisException("No such column. SQLSTATE: 42703; line 1 pos 39")
    vars(refused)["_contexts"] = ["DESCRIPTOR('order_tiem')"]
    session.failure = refused

    with pytest.raises(AnalysisException) as error:
        tidegate.withKeyedWatermark(connect_df, "order_tiem", "5 seconds")

    assert str(error.value) == "No such column. SQLSTATE: 42703"
    assert error.value.getQueryContext() == []
