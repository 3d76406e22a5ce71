"""The examples of the page on Spark Connect run there, and print what the page shows."""

from pathlib import Path

import documents
from pyspark.sql import SparkSession

PAGE = Path(__file__).parent.parent.parent / "docs" / "spark-connect.md"


def test_page_on_spark_connect(address: str, spark: SparkSession, tmp_path: Path) -> None:
    page = PAGE.read_text()
    assert "sc://localhost:15002" in page
    with_address = tmp_path / PAGE.name
    with_address.write_text(page.replace("sc://localhost:15002", address))

    assert documents.check(with_address, spark) == 3
