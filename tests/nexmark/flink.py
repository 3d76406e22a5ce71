"""Flink SQL, in a process that runs a query whenever it is asked to."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAIN = "tidegate.bench.FlinkNexmark"
HEAP = "6g"
"""Of each side, as in the benchmarks of the JVM."""


class Flink:
    """A Flink cluster that runs queries over the streams of a folder."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(
        self, text: str, folder: Path, data: Path, keys: tuple[str, ...]
    ) -> tuple[float, float, int]:
        """Run a query, whose rows come into the folder `rows` of a folder.

        Return its seconds of wall and of processor time, and the bytes of its largest checkpoint.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        # The name of this column is a word of Flink's grammar.
        (folder / "query.sql").write_text(text.replace("dateTime", "`dateTime`"))
        words = [str(folder.absolute()), str(data.absolute()), ",".join(keys)]
        self._process.stdin.write("\t".join(words).rstrip() + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "Flink has failed: see above"
        seconds, processor, state = line.split()
        return float(seconds), float(processor), int(state)


@contextmanager
def flink(build: Path) -> Iterator[Flink]:
    """Start a cluster from the folder that `make build/flink/.ready` fills."""
    jars = f"{build}/classes:{build}/dependency/*"
    with subprocess.Popen(
        ["java", f"-Xmx{HEAP}", "-cp", jars, MAIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Flink(process)
