"""A client of a Spark Connect server that runs with the jar of the installed wheel.

PySpark refuses a classic session and one of Spark Connect in one process, so these tests are not
among those of the folder above: `python -m pytest tests/connect`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import sessions
import tidegate
from connect import server
from connect.remote_feed import RemoteFeed

EXTENSION = ["--conf", "spark.sql.extensions=tidegate.TidegateExtensions"]


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the server as the page on Spark Connect says."""
    sessions.check()
    options = ["--jars", tidegate.jarPath(), *EXTENSION]
    with server.running(tmp_path_factory.mktemp("server"), *options) as address:
        yield address


@pytest.fixture(scope="session")
def spark(address: str) -> Iterator[SparkSession]:
    """Connect to the server; the client has no JVM."""
    with server.client(address) as spark:
        yield spark
    assert SparkContext._gateway is None


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> RemoteFeed:
    """Return an empty feed."""
    return RemoteFeed.of(spark, tmp_path / "feed")


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> RemoteFeed:
    """Return an empty feed of orders."""
    return RemoteFeed.of(spark, tmp_path / "orders")


@pytest.fixture
def deliveries(spark: SparkSession, tmp_path: Path) -> RemoteFeed:
    """Return an empty feed of deliveries."""
    return RemoteFeed.of(spark, tmp_path / "deliveries")
