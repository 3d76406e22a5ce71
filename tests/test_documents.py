"""The examples in the documentation run, and print what the page shows."""

from pathlib import Path

from pyspark.sql import SparkSession

import documents

DOCS = Path(__file__).parent.parent / "docs"


def test_sql_reference(spark: SparkSession) -> None:
    assert documents.check(DOCS / "sql.md", spark.newSession()) >= 14
