"""A session with the installed wheel, whose executors are processes that can be killed.

The master is chosen when Spark starts, so these tests are not among those of the folder above:
`python -m pytest tests/cluster`.
"""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import sessions
import tidegate
from cluster.standalone import cluster

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    # State on both executors.
    "spark.sql.shuffle.partitions": "2",
    # A task that takes long gets a copy soon.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "2s",
    "spark.speculation.quantile": "0.5",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start two executors of one core each."""
    with cluster(tmp_path_factory.mktemp("cluster")) as address:
        builder = sessions.builder(address)
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        spark = tidegate.configure(builder).getOrCreate()
        yield spark
        spark.stop()
