"""Starts the process of the query, kills it, and starts it again when it has ended."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

EXCUSED_SECONDS = 240.0
"""A query may fail so long after its broker was killed: Spark gives up after some retries."""

Say = Callable[[str, str], None]
"""Notes an event: its kind, and details."""


class Supervisor:
    """Keeps one process of the query alive."""

    def __init__(self, command: list[str], log: Path, say: Say) -> None:
        """Start nothing yet."""
        self._command = command
        self._log = log
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._broker_killed = float("-inf")
        self.kills = 0
        self.excused: list[str] = []
        self.failures: list[str] = []
        """The last words of processes that failed by themselves."""

    def start(self) -> None:
        """Start the process, in a session of its own, which is killed with its JVM."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, *self._command],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYSPARK_PYTHON": sys.executable},
            )

    def kill(self) -> None:
        """Kill Python and the JVM at once, and start them again."""
        self.stop()
        self.kills += 1
        self.start()

    def broker_killed(self) -> None:
        """Excuse the query if it fails soon."""
        self._broker_killed = time.monotonic()

    def check(self) -> None:
        """Start a process that has failed again."""
        assert self._process is not None
        if self._process.poll() is None:
            return
        words = self._last_words()
        excused = time.monotonic() - self._broker_killed < EXCUSED_SECONDS
        (self.excused if excused else self.failures).append(words)
        self._say("failure with the broker" if excused else "failure", words)
        self.stop()
        self.start()

    def finish(self, seconds: float) -> bool:
        """Let the process read all, and end; tell whether it did."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False

    def stop(self) -> None:
        """Kill the process and its JVM, if there are any."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            # All of them have ended already.
            pass
        self._process.wait()

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "nothing in the log"
