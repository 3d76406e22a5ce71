"""A session with the installed wheel, whose executors are processes that can be killed.

The master is chosen when Spark starts, so these tests are not among those of the folder above:
`python -m pytest tests/cluster`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import sessions
import tidegate


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start two executors of one core each."""
    # Where the executors are started from.
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    builder = sessions.builder("local-cluster[2,1,512]").config("spark.executor.memory", "512m")
    # State on both executors.
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    spark = tidegate.configure(builder).getOrCreate()
    yield spark
    spark.stop()
