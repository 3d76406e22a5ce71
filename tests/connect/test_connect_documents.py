"""The examples of two pages run on Spark Connect, and print what the pages show."""

from pathlib import Path

import documents
from pyspark.sql import SparkSession

from connect import server

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_page_when_on_spark_connect_then_its_examples_run(
    address: str, spark: SparkSession, tmp_path: Path
) -> None:
    page = (DOCS / "spark-connect.md").read_text()
    assert "sc://localhost:15002" in page
    with_address = tmp_path / "spark-connect.md"
    with_address.write_text(page.replace("sc://localhost:15002", address))

    assert documents.check(with_address, spark) == 3


def test_page_when_on_sql_then_its_examples_run_from_a_client_too(address: str) -> None:
    with server.client(address) as spark:
        assert documents.check(DOCS / "sql.md", spark) >= 12
