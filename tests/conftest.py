"""A Spark session with the installed wheel, and an empty feed."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tidegate
from feeds import Feed

# The Python workers need the packages of this environment.
os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark as a user does: with the jar that is in the installed wheel."""
    assert "site-packages" in tidegate.__file__, "the tests are about the installed wheel"
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        # Code that does not compile fails the test instead of running interpreted.
        .config("spark.sql.codegen.fallback", "false")
    )
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path) -> Feed:
    """Return an empty feed."""
    folder = tmp_path / "feed"
    folder.mkdir()
    return Feed(spark, folder)
