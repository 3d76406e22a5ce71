"""Spark's history server in a process of its own."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

import tidegate
from logs import wait_for

BOUND = re.compile(r"HistoryServer.* started at (http://\S+)")


@contextmanager
def history_server(event_log: Path) -> Iterator[str]:
    """Start a server with the jar of the wheel over event logs, and give its address."""
    home = Path(pyspark.__file__).parent
    options = {
        "spark.history.fs.logDirectory": event_log.as_uri(),
        "spark.history.fs.update.interval": "1s",
        "spark.history.ui.port": "0",
    }
    process = subprocess.Popen(
        [home / "bin" / "spark-class", "org.apache.spark.deploy.history.HistoryServer"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ
        | {
            "SPARK_HOME": str(home),
            "SPARK_DAEMON_CLASSPATH": str(tidegate.jarPath()),
            "SPARK_HISTORY_OPTS": " ".join(f"-D{key}={value}" for key, value in options.items()),
        },
    )
    assert process.stderr is not None
    try:
        yield wait_for(BOUND, process.stderr, "the history server")[1]
    finally:
        process.terminate()
        process.wait(60)
