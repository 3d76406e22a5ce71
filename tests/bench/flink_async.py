"""Flink's asynchronous I/O, in a process that runs a job whenever it is asked to."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAIN = "tidegate.bench.FlinkAsync"


class Flink:
    """A Flink cluster that asks a server for the prices of all rows."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def run(self, ordered: bool) -> tuple[float, int]:
        """Run a job, and return its time in seconds and the sum of the prices."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("ordered\n" if ordered else "unordered\n")
        self._process.stdin.flush()
        seconds, _, total = self._process.stdout.readline().partition(" ")
        assert total, "Flink has failed: see above"
        return float(seconds), int(total)


@contextmanager
def flink(build: Path, port: int, rows: int, in_flight: int) -> Iterator[Flink]:
    """Start a cluster from the folder that `make build/flink/.ready` fills."""
    jars = f"{build}/classes:{build}/dependency/*"
    arguments = [str(port), str(rows), str(in_flight)]
    with subprocess.Popen(
        ["java", "-cp", jars, MAIN, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Flink(process)
