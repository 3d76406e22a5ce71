"""One plain sentence for each way in which the JVM's side can be missing."""

from collections.abc import Callable
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import Column, DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import NO_CLASS, FakeFacade, FakeJvm

NO_JAR = (
    "Spark runs without the Tidegate jar on its classpath. Create the session with "
    "tidegate.configure(SparkSession.builder).getOrCreate(), or start Spark with "
    "--jars <the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions."
)


@pytest.mark.parametrize("jvm", [None, FakeJvm(failure=NO_CLASS)])
def test_jar_when_missing_then_says_how_to_install_it(
    df: DataFrame, monkeypatch: pytest.MonkeyPatch, jvm: FakeJvm | None
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", jvm)

    with pytest.raises(tidegate.MissingJarError) as error:
        tidegate.withKeyedWatermark(df, "t", "5 seconds")

    assert str(error.value) == NO_JAR


def test_jar_when_missing_then_a_join_says_so_too(
    df: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", None)

    with pytest.raises(tidegate.MissingJarError) as error:
        tidegate.streamJoin(df, df, "id")

    assert str(error.value) == NO_JAR


def test_jar_when_missing_then_watermarks_says_so_too(
    query: StreamingQuery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm(failure=NO_CLASS))

    with pytest.raises(tidegate.TidegateError) as error:
        tidegate.watermarks(query)

    assert str(error.value) == NO_JAR


def test_facade_when_it_fails_otherwise_then_the_java_error_is_not_hidden(
    df: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm(failure="java.lang.LinkageError: loader"))

    with pytest.raises(Py4JJavaError):
        tidegate.withKeyedWatermark(df, "t", "5 seconds")


NO_CONNECT_JOIN = (
    "streamJoin needs classic PySpark, and this is a Spark Connect session, which has no py4j. On "
    "a Spark Connect server that runs with the Tidegate extension use SQL, which does the same: "
    'spark.sql("SELECT * FROM {left} l JOIN {right} r ON l.order_id = r.order_id AND '
    "r.delivery_time BETWEEN l.order_time AND l.order_time + INTERVAL '10' MINUTES\", "
    "left=left, right=right)."
)

CONNECT_DATAFRAME: Any = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("withKeyedWatermark", lambda x: tidegate.withKeyedWatermark(x, "t", "5 seconds")),
        ("watermarks", tidegate.watermarks),
    ],
)
def test_session_when_spark_connect_then_says_what_works_there(
    what: str, call: Callable[[Any], Any]
) -> None:
    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        call(CONNECT_DATAFRAME)

    assert str(error.value) == (
        f"{what} needs classic PySpark, and this is a Spark Connect session, which has no py4j. On "
        "a Spark Connect server that runs with the Tidegate extension use SQL, which does the "
        'same: spark.sql("SELECT * FROM IMPOSE_ORDER(TABLE({df}), DESCRIPTOR(order_time), '
        "INTERVAL '5' SECONDS)\", df=df)."
    )


@pytest.mark.parametrize("sides", ["left", "right", "left and right"])
def test_join_when_a_side_is_of_spark_connect_then_says_what_works_there(
    df: DataFrame, facade: FakeFacade, sides: str
) -> None:
    left = CONNECT_DATAFRAME if "left" in sides else df
    right = CONNECT_DATAFRAME if "right" in sides else df

    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        tidegate.streamJoin(left, right, "id")

    assert str(error.value) == NO_CONNECT_JOIN
    assert facade.calls == []


def test_join_when_its_condition_is_of_spark_connect_then_says_what_works_there(
    df: DataFrame, facade: FakeFacade
) -> None:
    class ConnectColumn(Column):
        __module__ = "pyspark.sql.connect.column"

    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        tidegate.streamJoin(df, df, object.__new__(ConnectColumn))

    assert str(error.value) == NO_CONNECT_JOIN
    assert facade.calls == []
