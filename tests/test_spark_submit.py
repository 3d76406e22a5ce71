"""The jar alone, as a platform team adds it: `--jars` and the extension, without the wheel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tidegate

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
    facade.withKeyedWatermark(
        rows._jdf, "time", 0, "fixedLag", ["0 seconds"], [], None, None, [], None, None, False,
        None),
    spark)
query = (keyed.groupBy(F.window("time", "1 minute")).count().writeStream.format("noop")
    .option("checkpointLocation", folder + "/checkpoint").trigger(availableNow=True).start())
assert query.awaitTermination(120)
print("rows read:", sum(progress.numInputRows for progress in query.recentProgress))
"""


SQL_SCRIPT = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sql("select 1 as id, timestamp '2026-01-01 12:00:00' as time").createOrReplaceTempView("t")
for statement in [
    "SELECT id FROM TUMBLE(TABLE(t), DESCRIPTOR(time), INTERVAL 5 MINUTES)",
    "SELECT id FROM TUMBLE(TABLE t, DESCRIPTOR(time), 5 minutes)",
    "SELECT id FROM t WHERE NOT is_late(time)",
    "SELECT id FROM tidegate_watermarks() RIGHT JOIN t ON true",
    "SELECT id FROM t WHERE >",
    "SELECT tumble(id) FROM t",
    "SELECT id FROM t",
]:
    try:
        print("rows:", spark.sql(statement).count())
    except Exception as e:
        places = [context.fragment() for context in e.getQueryContext()]
        print("refused:", e.getCondition(), *places)
"""

EXTENSION = ["--conf", "spark.sql.extensions=tidegate.TidegateExtensions"]


def test_spark_submit_when_given_the_jar_and_the_extension_then_a_query_runs(
    tmp_path: Path,
) -> None:
    done = submit(tmp_path, *EXTENSION)

    if done.returncode != 0:
        pytest.fail(f"spark-submit failed:\n{done.stdout}\n{done.stderr}")
    assert "rows read: 1" in done.stdout


def test_spark_submit_when_the_extension_is_left_out_then_the_sentence_says_how_to_add_it(
    tmp_path: Path,
) -> None:
    done = submit(tmp_path)

    assert done.returncode != 0
    assert (
        "AnalysisException: [TIDEGATE_EXTENSION_NOT_INSTALLED] This Spark session does not have "
        "the Tidegate extension. Build the session with tidegate.configure(SparkSession.builder), "
        "or start it with --jars <the Tidegate jar> --conf spark.sql.extensions="
        "tidegate.TidegateExtensions; the extension cannot be added to a running session. "
        "SQLSTATE: 56038"
    ) in done.stdout


def test_sql_when_the_extension_is_left_out_then_only_calls_of_tidegate_are_answered(
    tmp_path: Path,
) -> None:
    missing = "refused: TIDEGATE_EXTENSION_NOT_INSTALLED"
    own = ["refused: PARSE_SYNTAX_ERROR", "refused: UNRESOLVED_ROUTINE tumble(id)", "rows: 1"]

    assert answers(submit(tmp_path, script=SQL_SCRIPT)) == [
        f"{missing} TUMBLE(TABLE(t), DESCRIPTOR(time), INTERVAL 5 MINUTES)",
        f"{missing} TUMBLE(TABLE t, DESCRIPTOR(time), 5 minutes)",
        f"{missing} is_late(time)",
        f"{missing} tidegate_watermarks()",
        *own,
    ]
    assert answers(submit(tmp_path, *EXTENSION, script=SQL_SCRIPT)) == ["rows: 1"] * 4 + own


def answers(done: subprocess.CompletedProcess[str]) -> list[str]:
    lines = [line.strip() for line in done.stdout.splitlines()]
    return [line for line in lines if line.startswith(("rows:", "refused:"))]


def submit(folder: Path, *options: str, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    file = folder / "script.py"
    file.write_text(script)
    command: list[str | Path] = [
        Path(sys.executable).parent / "spark-submit",
        *["--master", "local[1]", "--jars", tidegate.jarPath(), *options],
        *["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1"],
        file,
        folder,
    ]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )
