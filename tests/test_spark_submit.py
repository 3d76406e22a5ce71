"""The jar alone, as a platform team adds it: `--jars` and the extension, without the wheel."""

from pathlib import Path

import pytest

from submits import CALLS, EXTENSION, OWN, REMINDED, answers, submit

SCRIPT = """
import sys
sys.modules["tidegate"] = None  # The Python package is not there.
from pyspark.sql import DataFrame, SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
folder = sys.argv[1]
spark.sql("select timestamp '2026-01-01 12:00:00' as time").write.json(folder + "/rows")
rows = spark.readStream.schema("time timestamp").json(folder + "/rows")

loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
facade = loader.loadClass("tidegate.PythonFacade").newInstance()
keyed = DataFrame(
    facade.withWatermark(rows._jdf, "time", {"lag": "0 seconds"}),
    spark)
query = (keyed.groupBy(F.window("time", "1 minute")).count().writeStream.format("noop")
    .option("checkpointLocation", folder + "/checkpoint").trigger(availableNow=True).start())
assert query.awaitTermination(120)
print("rows read:", sum(progress.numInputRows for progress in query.recentProgress))
"""


def test_spark_submit_when_given_the_jar_and_the_extension_then_a_query_runs(
    tmp_path: Path,
) -> None:
    done = submit(tmp_path, SCRIPT, *EXTENSION)

    if done.returncode != 0:
        pytest.fail(f"spark-submit failed:\n{done.stdout}\n{done.stderr}")
    assert "rows read: 1" in done.stdout


@pytest.mark.at_night
def test_spark_submit_when_the_extension_is_left_out_then_the_sentence_says_how_to_add_it(
    tmp_path: Path,
) -> None:
    done = submit(tmp_path, SCRIPT)

    assert done.returncode != 0
    assert (
        "AnalysisException: [TIDEGATE_EXTENSION_NOT_INSTALLED] This Spark session does not have "
        "the Tidegate extension. Build the session with tidegate.configure(SparkSession.builder), "
        "or start it with --jars <the Tidegate jar> --conf spark.sql.extensions="
        "tidegate.TidegateExtensions; the extension cannot be added to a running session. "
        "SQLSTATE: 56038"
    ) in done.stdout


@pytest.mark.parametrize("catalog", ["in-memory", pytest.param("hive", marks=pytest.mark.at_night)])
def test_sql_when_the_extension_is_left_out_then_only_calls_of_tidegate_are_answered(
    tmp_path: Path, catalog: str
) -> None:
    done = submit(tmp_path, CALLS, "--conf", f"spark.sql.catalogImplementation={catalog}")

    assert f"catalog: {catalog}" in done.stdout
    assert answers(done) == REMINDED


@pytest.mark.at_night
@pytest.mark.parametrize(
    ("given", "words"),
    [(EXTENSION, []), ([], ["configure"]), (EXTENSION, ["configure"])],
    ids=["extension", "configure", "both"],
)
def test_sql_when_the_extension_comes_from_the_submission_or_the_job_then_calls_run(
    tmp_path: Path, given: list[str], words: list[str]
) -> None:
    done = submit(tmp_path, CALLS, *given, words=words)

    assert answers(done) == ["rows: 1"] * 4 + OWN, done.stderr
