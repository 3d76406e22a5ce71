"""A session with Spark's UI, and a browser of the system."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parent.parent))

from browsers import browser

import sessions
import tidegate

__all__ = ["browser"]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start a session whose UI is on a free port."""
    os.environ["TZ"] = "UTC"
    builder = tidegate.configure(sessions.builder())
    builder = builder.config("spark.ui.enabled", "true").config("spark.ui.port", "0")
    with builder.getOrCreate() as spark:
        yield spark
