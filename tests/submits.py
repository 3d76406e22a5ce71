"""Jobs of `spark-submit` with the jar of Tidegate."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import tidegate

EXTENSION = ["--conf", "spark.sql.extensions=tidegate.TidegateExtensions"]

CALLS = """
import sys
from pyspark.sql import SparkSession

if "configure" in sys.argv:
    import tidegate
    spark = tidegate.configure(SparkSession.builder).getOrCreate()
else:
    spark = SparkSession.builder.getOrCreate()
print("catalog:", spark.conf.get("spark.sql.catalogImplementation"))
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
"""Statements with calls of Tidegate, and some that Spark answers alone."""

MISSING = "refused: TIDEGATE_EXTENSION_NOT_INSTALLED"
OWN = ["refused: PARSE_SYNTAX_ERROR", "refused: UNRESOLVED_ROUTINE tumble(id)", "rows: 1"]
"""What Spark answers, with and without Tidegate."""

REMINDED = [
    f"{MISSING} TUMBLE(TABLE(t), DESCRIPTOR(time), INTERVAL 5 MINUTES)",
    f"{MISSING} TUMBLE(TABLE t, DESCRIPTOR(time), 5 minutes)",
    f"{MISSING} is_late(time)",
    f"{MISSING} tidegate_watermarks()",
    *OWN,
]
"""What a session without the extension answers."""


def answers(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what `CALLS` says of each statement."""
    lines = [line.strip() for line in done.stdout.splitlines()]
    return [line for line in lines if line.startswith(("rows:", "refused:"))]


def submit(
    folder: Path, script: str, *options: str, words: Sequence[str] = (), jars: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a script with Tidegate's jar and other jars, and give it a folder and the words."""
    file = folder / "script.py"
    file.write_text(script)
    command: list[str | Path] = [
        Path(sys.executable).parent / "spark-submit",
        *["--master", "local[1]", "--jars", ",".join([tidegate.jarPath(), *jars]), *options],
        *["--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=1"],
        file,
        folder,
        *words,
    ]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )
