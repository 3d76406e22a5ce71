"""A Spark session and small streams for the examples in docstrings; unit tests start no JVM."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Spark's Python workers are to have the packages of these tests.
os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def doctest_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Start Spark with the jar of the tree, and read one minute of orders and a delivery."""
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import window

    import tidegate

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    )
    spark = tidegate.configure(builder).getOrCreate()
    folder = Path(tmp_path_factory.mktemp("streams"))
    for name in ("orders", "deliveries"):
        (folder / name).mkdir()
    (folder / "orders" / "0.json").write_text(
        '{"order_id": 1, "order_time": "2026-01-01T00:00:00Z", "partition": 0}\n'
        '{"order_id": 2, "order_time": "2026-01-01T00:01:00Z", "partition": 0}\n'
    )
    (folder / "deliveries" / "0.json").write_text(
        '{"order_id": 1, "delivery_time": "2026-01-01T00:05:00Z"}\n'
    )
    orders = "order_id long, order_time timestamp, partition int"
    deliveries = "order_id long, delivery_time timestamp"
    stream = spark.readStream.schema(orders).json(str(folder / "orders"))
    keyed = tidegate.withKeyedWatermark(stream, "order_time", "5 seconds")
    yield {
        "spark": spark,
        "orders": stream,
        "counts": keyed.groupBy(window("order_time", "1 minute")).count(),
        "deliveries": spark.readStream.schema(deliveries).json(str(folder / "deliveries")),
    }
    spark.stop()


@pytest.fixture(autouse=True)
def examples(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    """Give the session and the streams to the examples, and to nothing else."""
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace.update(request.getfixturevalue("doctest_session"))
