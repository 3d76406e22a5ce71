"""A Kafka broker in a process of its own, and Spark with the wheel and Spark's connector to Kafka.

The connector has to be there when Spark starts, so these tests are not among those of the folder
above: `python -m pytest tests/kafka`. The jars are those that `make build/kafka/.ready` brings.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sessions
import tidegate
from kafka.topics import Topics
from tidegate.demo.kafka import broker

JARS = Path(__file__).parents[2] / "build" / "kafka"


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], str]]:
    """Start a broker, and return what waits for it and has its address."""
    assert JARS.is_dir(), "no Kafka yet: run make build/kafka/.ready"
    with broker.starting(JARS / "broker", tmp_path_factory.mktemp("kafka") / "broker") as address:
        yield address


@pytest.fixture(scope="session")
def spark(kafka: Callable[[], str]) -> Iterator[SparkSession]:
    """Start Spark, while the broker starts, with the connector and the jar of the wheel."""
    connector = ",".join(str(jar) for jar in sorted((JARS / "connector").glob("*.jar")))
    builder = sessions.builder().config("spark.jars", connector)
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def topics(spark: SparkSession, kafka: Callable[[], str]) -> Iterator[Topics]:
    """Return the topics of the broker."""
    topics = Topics(spark, kafka())
    yield topics
    topics.close()
