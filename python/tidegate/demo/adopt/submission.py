"""The job in a process of its own, started by ``spark-submit``, and its reports."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark
from pyspark.sql.streaming.listener import StreamingQueryProgress

from tidegate.demo.session import settings

JOB = Path(__file__).parent / "job.py"
LAST_LINES = 20


class JobError(Exception):
    """The job has ended, and was not meant to."""


class Submission:
    """A job that runs until it is killed."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        """Read what the process says, in a thread."""
        self._process = process
        self._log = log
        self.batches: list[StreamingQueryProgress] = []
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def rows(self) -> int:
        """How many rows the batches have read."""
        return sum(batch.numInputRows for batch in self.batches)

    @property
    def dropped(self) -> int:
        """How many rows the batches have dropped, as Spark counts: after partial aggregation."""
        return sum(
            operator.numRowsDroppedByWatermark
            for batch in self.batches
            for operator in batch.stateOperators
        )

    @property
    def open_windows(self) -> int:
        """How many windows were in the state after the last batch."""
        return sum(operator.numRowsTotal for operator in self.batches[-1].stateOperators)

    def check(self) -> None:
        """Raise the error of a job that has ended by itself."""
        code = self._process.poll()
        if code is not None:
            said = "\n".join(self._log.read_text().splitlines()[-LAST_LINES:])
            raise JobError(f"The job has ended with code {code}:\n{said}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                self.batches.append(StreamingQueryProgress.fromJson(json.loads(line)))


@contextmanager
def submitted(
    arguments: Sequence[object], jars: Sequence[Path], conf: Mapping[str, str], log: Path
) -> Iterator[Submission]:
    """Start the job with some jars and settings beside its own; at the end kill it, as it is.

    What the job writes to stderr goes to `log`.
    """
    home = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)
    options = ["--jars", ",".join(map(str, jars))]
    for name, value in {**settings(), **conf}.items():
        options += ["--conf", f"{name}={value}"]
    command = [home / "bin" / "spark-submit", "--master", "local[*]", *options, JOB, *arguments]
    with log.open("w") as errors:
        # A session of its own: Ctrl-C does not reach the job, and the job is killed as a whole.
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        )
    try:
        yield Submission(process, log)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
