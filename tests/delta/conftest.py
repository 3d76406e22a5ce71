"""A session with the installed wheel and the jars of Delta, which `make test-python` brings.

Spark has to start with these jars, so these tests are not among those of the folder above:
`python -m pytest tests/delta`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tidegate

VERSION = "4.4.0"
FOLDER = Path(__file__).parents[2] / "build" / "delta"
JARS = [FOLDER / f"delta-spark_2.13-{VERSION}.jar", FOLDER / f"delta-storage-{VERSION}.jar"]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark with both extensions."""
    assert "site-packages" in tidegate.__file__, "the tests are about the installed wheel"
    missing = [jar.name for jar in JARS if not jar.exists()]
    assert not missing, f"run `make test-python`, which brings {missing}"
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", ",".join(str(jar) for jar in JARS))
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.databricks.delta.snapshotPartitions", "2")
    )
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()
