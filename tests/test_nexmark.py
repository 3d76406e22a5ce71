"""The queries of Nexmark over a few events: `make bench-nexmark` runs them over many."""

from pathlib import Path

import pytest
from nexmark.__main__ import Runner, report
from nexmark.generate import Size, written
from nexmark.queries import ALL, Query
from pyspark.sql import SparkSession

SIZE = Size(events=8_000, rate=80, files=3)

QUICK = ["q4", "q12"]


def checked(query: Query) -> object:
    """Return a query as a parameter; most of them run at night."""
    marks = [] if query.name in QUICK else [pytest.mark.at_night]
    return pytest.param(query, id=query.name, marks=marks)


@pytest.mark.parametrize("query", [checked(query) for query in ALL])
def test_query_when_the_streams_are_read_then_has_the_rows_of_batch(
    spark: SparkSession, tmp_path: Path, query: Query
) -> None:
    data = written(tmp_path / "data", SIZE)

    assert report(Runner(spark.newSession(), data, tmp_path, SIZE), query, ("tidegate",))
