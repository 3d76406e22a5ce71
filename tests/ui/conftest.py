"""A session with Spark's UI and an event log, a broker, a history server, and a browser."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parent.parent))

from browsers import browser

import sessions
import tidegate
from histories import history_server
from kafka.conftest import JARS, kafka, topics

__all__ = ["browser", "kafka", "topics"]


@pytest.fixture(scope="session")
def event_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the event logs."""
    return tmp_path_factory.mktemp("event-log")


@pytest.fixture(scope="session")
def spark(kafka: Callable[[], str], event_log: Path) -> Iterator[SparkSession]:
    """Start a session whose UI is on a free port, while the broker starts."""
    os.environ["TZ"] = "UTC"
    connector = ",".join(str(jar) for jar in sorted((JARS / "connector").glob("*.jar")))
    builder = tidegate.configure(sessions.builder().config("spark.jars", connector))
    builder = builder.config("spark.ui.enabled", "true").config("spark.ui.port", "0")
    builder = builder.config("spark.eventLog.enabled", "true")
    builder = builder.config("spark.eventLog.dir", event_log.as_uri())
    with builder.getOrCreate() as spark:
        yield spark


@pytest.fixture(scope="session")
def history(event_log: Path) -> Iterator[str]:
    """Start Spark's history server with the jar of the wheel, and return its address."""
    with history_server(event_log) as address:
        yield address
