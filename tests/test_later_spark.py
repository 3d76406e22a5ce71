"""What earlier versions of Spark lack: who says so, as the page on compatibility has it."""

import pyspark
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from feeds import Feed
from sparks import before


@pytest.fixture(autouse=True, scope="module")
def table(spark: SparkSession) -> None:
    """Make a table `t`."""
    rows = spark.sql("SELECT 1 AS id, timestamp '2026-01-01 12:00:00' AS time")
    rows.createOrReplaceTempView("t")


@before(1, "STREAM, WATERMARK and parameters in DESCRIPTOR")
@pytest.mark.parametrize(
    ("table", "column", "at", "feature", "instead"),
    [
        (
            "TABLE(STREAM t)",
            "time",
            "STREAM t",
            "`STREAM` before a table in SQL",
            "Make a view of the stream with "
            "spark.readStream.table(...).createOrReplaceTempView(...), and write the name of the "
            "view.",
        ),
        (
            "TABLE(SELECT * FROM t WATERMARK time DELAY OF INTERVAL 1 SECOND)",
            "time",
            "WATERMARK time DELAY OF",
            "The `WATERMARK` clause in SQL",
            "Call IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), 5 seconds), or call withWatermark before "
            "the stream becomes a view.",
        ),
        (
            "TABLE(t)",
            ":column",
            ":column",
            "A parameter in DESCRIPTOR",
            "Write the name of the column into the text of the statement.",
        ),
    ],
    ids=["STREAM", "WATERMARK", "parameter"],
)
def test_sql_when_only_a_later_spark_reads_it_then_says_which_and_what_to_write(
    spark: SparkSession, table: str, column: str, at: str, feature: str, instead: str
) -> None:
    statement = f"SELECT * FROM TUMBLE({table}, DESCRIPTOR({column}), INTERVAL 5 SECONDS)"

    with pytest.raises(AnalysisException) as error:
        spark.sql(statement, args={"column": "time"} if column == ":column" else None)

    found = f"needs Spark 4.1 or later, and this is Spark {pyspark.__version__}."
    assert error.value.getCondition() == "TIDEGATE_LATER_SPARK"
    assert error.value.getSqlState() == "0A000"
    assert f"{feature} {found} {instead}" in str(error.value)
    assert [context.fragment() for context in error.value.getQueryContext()] == [at]


@before(1, "SQL scripts")
def test_script_when_it_needs_a_setting_then_the_error_names_it_and_with_it_calls_run(
    spark: SparkSession,
) -> None:
    script = "BEGIN SELECT id FROM TUMBLE(TABLE t, DESCRIPTOR(time), 5 seconds); END"
    setting = "spark.sql.scripting.enabled"

    with pytest.raises(Exception, match=setting):
        spark.sql(script)

    spark.conf.set(setting, "true")
    try:
        assert spark.sql(script).collect()[0][0] == 1
    finally:
        spark.conf.unset(setting)


@before(1, "transformWithState")
def test_transform_with_state_when_it_has_another_name_then_python_says_so(feed: Feed) -> None:
    groups = feed.stream().withKeyedWatermark("time", "0 seconds").groupBy("id")

    with pytest.raises(AttributeError, match="transformWithState"):
        _ = groups.transformWithState
    assert callable(groups.transformWithStateInPandas)


@before(2, "named sources")
def test_source_when_it_is_named_then_python_says_so(spark: SparkSession) -> None:
    with pytest.raises(AttributeError, match="name"):
        _ = spark.readStream.name
