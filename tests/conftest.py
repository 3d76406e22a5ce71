"""A Spark session with the installed wheel, empty feeds, and a way to start a query."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import sessions
import tidegate
from feeds import Feed

# They have to run in a process of their own.
collect_ignore = [
    "beside",
    "cluster",
    "connect",
    "delta",
    "docs",
    "examples",
    "kafka",
    "tools",
    "ui",
]

# The Python workers need the packages of this environment.
os.environ["PYSPARK_PYTHON"] = sys.executable

# All JVMs live for a minute or two: code that is compiled quickly and little is the best for them.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark of tests that `make test` leaves out, and `make test-nightly` runs."""
    config.addinivalue_line("markers", "at_night: another test takes the same way in less time")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start Spark as a user does: with the jar that is in the installed wheel."""
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    builder = sessions.builder().config("spark.sql.warehouse.dir", warehouse)
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """Return an empty feed."""
    folder = tmp_path / "feed"
    folder.mkdir()
    return Feed(spark, folder)


@pytest.fixture
def orders(feed: Feed) -> Feed:
    """Return an empty feed of orders."""
    return feed


@pytest.fixture
def deliveries(spark: SparkSession, tmp_path: Path) -> Feed:
    """Return an empty feed of deliveries."""
    folder = tmp_path / "deliveries"
    folder.mkdir()
    return Feed(spark, folder)


@pytest.fixture
def start(tmp_path: Path) -> Callable[[DataFrame], None]:
    """Return a function that starts a query, which is where its whole plan is known."""

    def run(result: DataFrame) -> None:
        writer = result.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.format("noop").start().stop()

    return run


@pytest.fixture
def rhythm_of_spark(spark: SparkSession) -> Iterator[None]:
    """Let batches close in the next one, and run whenever a watermark moves, as in Spark."""
    settings = {
        "spark.tidegate.closing": "nextBatch",
        "spark.tidegate.noDataBatches.onlyWhenDue": "false",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield
    for key in settings:
        spark.conf.unset(key)
