"""What `adopt` and `release` check, and what they send to the facade."""

from datetime import datetime, timezone
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeConnectDataFrame, FakeConnectSession, FakeFacade


def test_adopt_when_called_then_returns_the_watermark(df: DataFrame, facade: FakeFacade) -> None:
    watermark = tidegate.adopt("/checkpoint", df, outputMode="update")

    assert facade.calls == [("/checkpoint", "a Java DataFrame", "update")]
    assert watermark == datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)


def test_adopt_when_given_a_query_then_has_no_output_mode(facade: FakeFacade) -> None:
    query: Any = StreamingQuery("a Java query")

    tidegate.adopt("/checkpoint", query)

    assert facade.calls == [("/checkpoint", "a Java query")]
    with pytest.raises(ValueError) as refused:
        tidegate.adopt("/checkpoint", query, outputMode="append")
    assert str(refused.value) == "outputMode is for a DataFrame, and a StreamingQuery has its own."


def test_release_when_there_is_no_watermark_then_returns_none(facade: FakeFacade) -> None:
    assert tidegate.release("/checkpoint") is None
    assert facade.calls == [("/checkpoint",)]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            (1, "df"),
            TypeError,
            "checkpoint must be the folder of a checkpoint (a str), found int: 1.",
        ),
        (
            ("/c", "df"),
            TypeError,
            "query must be a pyspark.sql.DataFrame or a pyspark.sql.streaming.StreamingQuery, "
            "found str: 'df'.",
        ),
        (
            ("/c", None),
            TypeError,
            "query must be a pyspark.sql.DataFrame or a pyspark.sql.streaming.StreamingQuery, "
            "found NoneType: None.",
        ),
        (
            ("/c", "df", "Append"),
            ValueError,
            "outputMode must be one of append, update, complete, found 'Append'.",
        ),
        (
            ("/c", "df", 1),
            TypeError,
            "outputMode must be an output mode (a str), found int: 1.",
        ),
    ],
)
def test_adopt_when_an_argument_is_wrong_then_says_which(
    facade: FakeFacade, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refused:
        tidegate.adopt(*arguments)

    assert str(refused.value) == message


def test_release_when_the_checkpoint_is_no_text_then_says_so(facade: FakeFacade) -> None:
    with pytest.raises(TypeError, match="checkpoint must be the folder of a checkpoint"):
        tidegate.release(None)  # type: ignore[arg-type]


def test_adopt_when_on_connect_then_says_what_to_do(facade: FakeFacade) -> None:
    df: Any = FakeConnectDataFrame(FakeConnectSession(), "stream")

    with pytest.raises(tidegate.UnsupportedSessionError) as refused:
        tidegate.adopt("/checkpoint", df)

    assert "Start the query on a server with spark.tidegate.adoptCheckpoint=true." in str(
        refused.value
    )
