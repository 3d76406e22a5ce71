"""A Spark Connect server in a process of its own, and its clients."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

import sessions
from logs import wait_for

MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"
STARTED = re.compile(r"Spark Connect server started at: \S+:(\d+)")

SETTINGS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    # Any that is free.
    "spark.connect.grpc.binding.port": "0",
    **sessions.SETTINGS,
}

# PySpark closes the client of a session that is no longer used, wherever Python collects it: amid a
# call of another client as well, which then waits for itself for ever.
_used: list[SparkSession] = []


@contextmanager
def running(folder: Path, *options: str) -> Iterator[str]:
    """Start a server with options of spark-submit, give its address, and stop it."""
    settings = [word for key, value in SETTINGS.items() for word in ("--conf", f"{key}={value}")]
    submit = Path(sys.executable).parent / "spark-submit"
    server = subprocess.Popen(
        [submit, "--class", MAIN, "--master", "local[2]", *settings, *options, "spark-internal"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )
    assert server.stderr is not None
    try:
        port = wait_for(STARTED, server.stderr, "the server")[1]
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


@contextmanager
def client(address: str) -> Iterator[SparkSession]:
    """Connect to a server, and disconnect before it stops: a client without one waits for it."""
    spark = SparkSession.builder.remote(address).create()
    _used.append(spark)
    try:
        yield spark
    finally:
        spark.stop()
