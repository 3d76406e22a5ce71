"""Sessions with Tidegate and another library, in each order of their extensions.

Spark reads `spark.jars` when its process starts, so each file here has a process of its own:
`make test-beside`, or `python -m pytest tests/beside/test_beside_delta.py`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sessions
import tidegate
from beside import libraries
from beside.lakes import Lake


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of a class once for each order of the extensions."""
    if metafunc.cls is not None and "extensions" in metafunc.fixturenames:
        lists = libraries.orders(*metafunc.cls.libraries)
        names = [extensions.replace("Extensions", "").split(",") for extensions in lists]
        ids = [",".join(name.split(".")[-1] for name in list) for list in names]
        metafunc.parametrize("extensions", lists, ids=ids, scope="class")


@pytest.fixture(scope="class")
def extensions() -> str:
    """Return the list of extensions."""
    raise AssertionError("pytest_generate_tests gives it")


@pytest.fixture(scope="class")
def spark(
    request: pytest.FixtureRequest, extensions: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """Start Spark with the extensions in that order."""
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    builder = (
        sessions.builder()
        .config("spark.jars", libraries.jars(*request.cls.libraries))
        .config("spark.sql.extensions", extensions)
        .config("spark.sql.warehouse.dir", warehouse)
        .config("spark.sql.catalog.lake.warehouse", f"{warehouse}/lake")
        .config("spark.openlineage.transport.location", f"{warehouse}/lineage.json")
    )
    for library in request.cls.libraries:
        for key, value in library.settings.items():
            builder = builder.config(key, value)
    spark = tidegate.configure(builder).getOrCreate()
    assert spark.conf.get("spark.sql.extensions") == extensions
    yield spark
    spark.stop()


@pytest.fixture
def lake(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Lake:
    """Return an empty schema of the library."""
    return Lake.empty(spark, request.cls.libraries[0].namespace, tmp_path)
