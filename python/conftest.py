"""A Spark session and a small stream for the examples in docstrings; unit tests start no JVM."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def doctest_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Start Spark with the jar of the tree, and read a folder with one minute of orders."""
    from pyspark.sql import SparkSession

    import tidegate

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    )
    spark = tidegate.configure(builder).getOrCreate()
    folder = Path(tmp_path_factory.mktemp("orders"))
    (folder / "orders.json").write_text(
        '{"order_time": "2026-01-01T00:00:00Z", "partition": 0}\n'
        '{"order_time": "2026-01-01T00:01:00Z", "partition": 0}\n'
    )
    orders = spark.readStream.schema("order_time timestamp, partition int").json(str(folder))
    yield {"spark": spark, "orders": orders}
    spark.stop()


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give ``spark`` and ``orders`` to the examples, and to nothing else."""
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace.update(request.getfixturevalue("doctest_session"))
