"""One plain sentence for each way in which the JVM's side can be missing."""

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import NO_CLASS, FakeJvm

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
