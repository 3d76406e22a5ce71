"""What works where PySpark is its client for Spark Connect alone: no py4j, no JVM, no Spark."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).parent.parent

HIDES = """
import json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(HIDDEN):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""

THIN = """
HIDDEN = ("py4j", "pyspark.core", "pyspark.sql.classic")
import tidegate
from pyspark.sql import SparkSession
from unit.fakes import FakeConnectDataFrame, FakeConnectSession

def error(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:
        return [type(error).__name__, str(error)]

async def priced(order):
    return order

class Batches(tidegate.ProgressListener):
    def onBatch(self, progress, batch):
        pass

Batches()
session = FakeConnectSession()
df = FakeConnectDataFrame(session, "orders")
df.withKeyedWatermark("order_time", "5 seconds")
print(json.dumps({
    "statement": session.calls[0][0],
    "public": dir(tidegate),
    "jar": error(tidegate.jarPath),
    "configure": error(tidegate.configure, SparkSession.builder),
    "snapshots": error(tidegate.snapshots, "/snapshots"),
    "release": error(tidegate.release, "/checkpoint"),
    "mapAsync": error(tidegate.mapAsync, df, priced, "order_id long"),
    "wrong": error(tidegate.withKeyedWatermark, 7, "order_time", "5 seconds"),
    "query": error(tidegate.watermarks, 7),
}))
"""

NO_CLASSIC = [
    "UnsupportedSessionError",
    "This call needs classic PySpark, and only its client for Spark Connect is installed, which "
    'has no py4j. Install classic PySpark in another environment: pip install "tidegate[spark]".',
]


def run(program: str) -> str:
    """Run a program in a Python of its own, and return what it prints."""
    hidden, rest = program.lstrip().split("\n", 1)
    done = subprocess.run(
        [sys.executable, "-c", f"{hidden}\n{HIDES}\n{rest}"],
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Call what there is, without py4j and without Spark's own part of PySpark."""
    read: dict[str, Any] = json.loads(run(THIN))
    return read


def test_method_when_of_spark_connect_then_sends_its_statement(found: dict[str, Any]) -> None:
    assert found["statement"].startswith("SELECT * FROM KEYED_WATERMARK(TABLE({df}), DESCRIPTOR(")


def test_names_when_listed_then_are_those_that_are_public(found: dict[str, Any]) -> None:
    assert "withKeyedWatermark" in found["public"]
    assert [name for name in found["public"] if name.startswith("_")] == ["__version__"]
    assert {"asof", "joins", "session", "streaming"} & set(found["public"]) == set()


def test_call_when_classic_pyspark_is_needed_then_the_sentence_says_so(
    found: dict[str, Any],
) -> None:
    assert found["snapshots"] == found["release"] == NO_CLASSIC
    kind, text = found["configure"]
    assert kind == "UnsupportedSessionError"
    assert text.startswith(
        "configure adds a jar to a local Spark, and only the client of PySpark for Spark Connect "
        "is installed. Start the server with --jars tidegate-spark-"
    )
    assert text.endswith(
        ".jar --conf spark.sql.extensions=tidegate.TidegateExtensions, and connect to it with "
        "SparkSession.builder.remote(...)."
    )
    assert found["mapAsync"][1].startswith("mapAsync needs classic PySpark, and this is a Data")


def test_argument_when_wrong_then_the_sentence_is_that_of_classic_pyspark(
    found: dict[str, Any],
) -> None:
    assert found["wrong"] == ["TypeError", "df must be a pyspark.sql.DataFrame, found int: 7."]
    assert found["query"] == [
        "TypeError",
        "query must be a pyspark.sql.streaming.StreamingQuery, found int: 7.",
    ]


def test_import_when_there_is_no_pyspark_then_the_sentence_says_what_to_install() -> None:
    program = """
HIDDEN = ()
import importlib.util
importlib.util.find_spec = lambda name: None
try:
    import tidegate
except ImportError as error:
    print(error)
"""
    assert run(program) == (
        "Tidegate needs PySpark, and this Python has none. Install both with pip install "
        '"tidegate[spark]", or for a client of Spark Connect, without a JVM, "tidegate[connect]".\n'
    )
