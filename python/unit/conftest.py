"""Spark objects without a JVM behind them, and a guard that no unit test starts one."""

from collections.abc import Iterator

import pytest
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
from pyspark.sql.streaming.query import StreamingQuery

from unit.fakes import FakeFacade, FakeJvm


@pytest.fixture(autouse=True)
def no_jvm() -> Iterator[None]:
    """Fail a test that starts a JVM."""
    yield
    assert SparkContext._gateway is None


@pytest.fixture
def facade(monkeypatch: pytest.MonkeyPatch) -> FakeFacade:
    """Run with a JVM that has the Tidegate jar."""
    facade = FakeFacade()
    monkeypatch.setattr(SparkContext, "_jvm", FakeJvm(facade))
    return facade


@pytest.fixture
def df() -> DataFrame:
    """Return a classic DataFrame without a JVM behind it."""
    session = object.__new__(SparkSession)
    session.__dict__["_sc"] = None
    return ClassicDataFrame("a Java DataFrame", session)


@pytest.fixture
def query() -> StreamingQuery:
    """Return a streaming query without a JVM behind it."""
    return StreamingQuery("a Java query")
