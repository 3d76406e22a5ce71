"""The wheel with the jars of all Sparks; the jar of another Spark, which every channel refuses."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pyspark
import pytest
from test_installed_wheel import JARS, ROOT, SPARK, SPARKS, VERSION

BIN = Path(sys.executable).parent
OTHER = next(spark for spark in SPARKS if spark != SPARK)

SENTENCE = (
    f"[TIDEGATE_OTHER_SPARK] {JARS[OTHER]} is for Spark {OTHER}, and this is Spark "
    f"{pyspark.__version__}. Use {JARS[SPARK]} instead."
)

PYTHON = """
import sys
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.extensions", "tidegate.TidegateExtensions")
builder.config("spark.jars", sys.argv[1]).getOrCreate().sql("SELECT 1").collect()
"""

SUBMITTED = """
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate().sql("SELECT 1").collect()
"""

OPTIONS = [
    *["--master", "local[1]", "--conf", "spark.ui.enabled=false"],
    *["--conf", "spark.sql.extensions=tidegate.TidegateExtensions"],
    *["--conf", "spark.driver.bindAddress=127.0.0.1", "--conf", "spark.driver.host=127.0.0.1"],
    *["--conf", "spark.connect.grpc.binding.port=0"],
]
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.mark.parametrize("channel", ["python", "submit", "spark-sql", "spark-shell", "connect"])
def test_jar_when_for_another_spark_then_the_channel_names_the_jar_that_fits(
    channel: str, tmp_path: Path
) -> None:
    jar = str(ROOT / "build" / "jars" / JARS[OTHER])
    script = tmp_path / "script.py"
    script.write_text(PYTHON if channel == "python" else SUBMITTED)
    options = ["--jars", jar, *OPTIONS]
    commands: dict[str, list[str | Path]] = {
        "python": [sys.executable, script, jar],
        "submit": [BIN / "spark-submit", *options, script],
        "spark-sql": [BIN / "spark-sql", *options, "-e", "SELECT 1"],
        "spark-shell": [BIN / "spark-shell", *options],
        "connect": [BIN / "spark-submit", *options, "--class", SERVER, "spark-internal"],
    }

    done = subprocess.run(
        commands[channel],
        cwd=tmp_path,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        input="",
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert SENTENCE in done.stdout + done.stderr
    assert done.returncode != 0


PROGRAM = """
import sys, tempfile, tidegate
from pyspark.sql import SparkSession, functions as F

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = tidegate.configure(builder.config("spark.sql.shuffle.partitions", "1")).getOrCreate()
folder = tempfile.mkdtemp()
spark.sql("select timestamp '2026-01-01 12:00:00' as time").write.json(folder + "/rows")
rows = spark.readStream.schema("time timestamp").json(folder + "/rows")
keyed = rows.withKeyedWatermark("time", "0 seconds")
query = (keyed.groupBy(F.window("time", "1 minute")).count().writeStream.format("noop")
    .option("checkpointLocation", folder + "/checkpoint").trigger(availableNow=True).start())
assert query.awaitTermination(120)
print("rows read:", sum(progress.numInputRows for progress in query.recentProgress))
"""

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def test_wheel_when_installed_into_an_empty_environment_then_a_query_runs_on_the_newest_spark(
    tmp_path: Path,
) -> None:
    wheel = ROOT / "dist" / f"tidegate-{VERSION}-py3-none-any.whl"
    environment = tmp_path / "environment"
    venv.create(environment)
    python = environment / "bin" / "python"

    newest = "pyspark<4.4"
    run([*PIP, "--python", python, "install", "-q", "--no-compile", wheel, newest], tmp_path)

    assert "rows read: 1" in run([python, "-c", PROGRAM], tmp_path)


def run(command: list[str | Path], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        pytest.fail(f"{command[1:3]} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout
