"""A cluster of processes on this machine."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from logs import wait_for

MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
REGISTERED = re.compile(r"Successfully registered with master")


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start a master and two workers of one core each, give the master's address, and end them.

    Each worker has an address of its own: Spark gives a slow task no copy on the same host.
    """
    with ExitStack() as stack:
        deploy = "org.apache.spark.deploy"
        master = [f"{deploy}.master.Master", "--host", "127.0.0.1"]
        log = stack.enter_context(_process(folder, *master, "--port", "0", "--webui-port", "0"))
        address = wait_for(MASTER, log, "the master")[1]
        for host in ("127.0.0.2", "127.0.0.3"):
            worker = [f"{deploy}.worker.Worker", "--host", host, "--webui-port", "0"]
            options = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / host)]
            log = stack.enter_context(_process(folder, *worker, *options, address))
            wait_for(REGISTERED, log, f"the worker {host}")
        yield address


@contextmanager
def _process(folder: Path, *command: str) -> Iterator[Iterator[str]]:
    """Start a class of Spark, give its log, and end it."""
    home = Path(pyspark.__file__).parent
    process = subprocess.Popen(
        [home / "bin" / "spark-class", *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"},
    )
    assert process.stderr is not None
    try:
        yield process.stderr
    finally:
        process.terminate()
        process.wait(60)
