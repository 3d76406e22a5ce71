"""The examples in the documentation run, and print what the page shows."""

from pathlib import Path

import documents
from pyspark.sql import SparkSession

DOCS = Path(__file__).parent.parent / "docs"


def test_sql_reference(spark: SparkSession) -> None:
    assert documents.check(DOCS / "sql.md", spark.newSession()) >= 12


def test_event_time_order(spark: SparkSession) -> None:
    assert documents.check(DOCS / "event-time-order.md", spark.newSession()) >= 2


def test_over(spark: SparkSession) -> None:
    assert documents.check(DOCS / "over.md", spark.newSession()) >= 1


def test_as_of_join(spark: SparkSession) -> None:
    assert documents.check(DOCS / "asof-join.md", spark.newSession()) >= 1


def test_windows(spark: SparkSession) -> None:
    assert documents.check(DOCS / "windows.md", spark.newSession()) >= 3
    assert documents.check(DOCS / "design" / "008-the-state-of-windows.md", spark.newSession()) >= 1


def test_sessions(spark: SparkSession) -> None:
    assert documents.check(DOCS / "sessions.md", spark.newSession()) >= 1


def test_local_days(spark: SparkSession) -> None:
    assert documents.check(DOCS / "local-days.md", spark.newSession()) >= 1


def test_restarts(spark: SparkSession) -> None:
    assert documents.check(DOCS / "checkpoints.md", spark.newSession()) >= 1


def test_sources(spark: SparkSession) -> None:
    # Those with a broker, a server or Delta's jars are not run here.
    assert documents.check(DOCS / "sources.md", spark.newSession()) >= 1


def test_asynchronous_calls(spark: SparkSession) -> None:
    assert documents.check(DOCS / "async.md", spark.newSession()) >= 3


def test_snapshots(spark: SparkSession) -> None:
    assert documents.check(DOCS / "snapshots.md", spark.newSession()) >= 4


def test_moving_in(spark: SparkSession) -> None:
    assert documents.check(DOCS / "moving-in.md", spark.newSession()) >= 3


def test_late_rows(spark: SparkSession) -> None:
    assert documents.check(DOCS / "late-rows.md", spark.newSession()) >= 2


def test_monitoring(spark: SparkSession) -> None:
    assert documents.check(DOCS / "monitoring.md", spark.newSession()) >= 3


def test_patterns(spark: SparkSession) -> None:
    assert documents.check(DOCS / "patterns.md", spark.newSession()) >= 6


def test_top_n(spark: SparkSession) -> None:
    assert documents.check(DOCS / "top-n.md", spark.newSession()) >= 1


def test_schedules(spark: SparkSession) -> None:
    assert documents.check(DOCS / "schedules.md", spark.newSession()) >= 1


def test_other_engines(spark: SparkSession) -> None:
    for page in ("from-flink-sql.md", "from-kafka-streams.md"):
        assert documents.check(DOCS / page, spark.newSession()) >= 1
