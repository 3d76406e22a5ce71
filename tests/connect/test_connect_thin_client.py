"""A client that has the wheel and `pyspark-client` alone: no py4j, no JVM, no Spark."""

import subprocess
import venv
from pathlib import Path

import pyspark
import pytest

import tidegate

ROOT = Path(__file__).parents[2]
WHEEL = ROOT / "build" / "wheel" / f"tidegate-{tidegate.__version__}-py3-none-any.whl"

PROGRAM = """
import importlib.util, sys
from pyspark.sql import SparkSession, functions as F
import tidegate

assert importlib.util.find_spec("py4j") is None
spark = SparkSession.builder.remote(sys.argv[1]).create()
orders = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 60).option(
    "advanceMillisPerBatch", 60_000).option("startTimestamp", 1767268800000).load()
keyed = orders.withKeyedWatermark("timestamp", "5 seconds", name="orders")
counts = keyed.groupBy(F.window("timestamp", "1 minute")).count()
query = counts.writeStream.format("memory").queryName("thin").start()
while spark.table("thin").count() == 0:
    query.awaitTermination(1)
query.stop()
print(spark.table("thin").orderBy("window").first()["count"])
print(tidegate.watermarks(query)["aggregate"]["heldBackBy"])
print(tidegate.explainTime(query).splitlines()[0])
spark.stop()
"""


@pytest.mark.at_night
def test_client_when_thin_then_counts_on_a_server_and_sees_its_watermarks(
    address: str, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    line = ".".join(pyspark.__version__.split(".")[:2])
    pip: list[str | Path] = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, f"pyspark-client~={line}.0", WHEEL], check=True, cwd=tmp_path)

    # PySpark takes a program without a file for a doctest, and then looks for Spark's folder.
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [python, "program.py", address], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )

    assert done.returncode == 0, done.stderr
    counted, held_by, printed, first = done.stdout.splitlines()[:3] + done.stdout.splitlines()[-1:]
    assert (counted, held_by) == ("60", "orders")
    assert printed == first
    assert first.startswith("The query `thin` has ended. ")
