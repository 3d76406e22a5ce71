"""A session with the installed wheel and the jars of Delta, which `make build/kafka/.ready` brings.

Spark has to start with these jars, so these tests are not among those of the folder above:
`python -m pytest tests/delta`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sessions
import tidegate

JARS = Path(__file__).parents[2] / "build" / "delta"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark with both extensions."""
    assert JARS.is_dir(), "no Delta yet: run make build/kafka/.ready"
    builder = (
        sessions.builder()
        .config("spark.jars", ",".join(map(str, JARS.glob("*.jar"))))
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.databricks.delta.snapshotPartitions", "2")
    )
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()
