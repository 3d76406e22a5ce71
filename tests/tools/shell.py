"""Commands in a shell that has the installed wheel, and servers that they start."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from logs import wait_for
from tools import pages

_BIN = Path(sys.executable).parent


class Shell:
    """A shell in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        settings = folder / "conf"
        settings.mkdir()
        # The tools read these from a file, so that the commands are those of the page.
        (settings / "spark-defaults.conf").write_text(
            "spark.ui.enabled false\n"
            "spark.ui.showConsoleProgress false\n"
            "spark.sql.session.timeZone UTC\n"
            "spark.sql.shuffle.partitions 1\n"
            "spark.driver.bindAddress 127.0.0.1\n"
            "spark.driver.host 127.0.0.1\n"
        )
        self.folder = folder
        self.settings = settings / "spark-defaults.conf"
        self._options, *_ = pages.blocks("SQL tools")
        self._environment = os.environ | {
            "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}",
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_CONF_DIR": str(settings),
            # Beeline looks for the terminal in place of the input otherwise.
            "TERM": "dumb",
        }

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command, and wait for its end."""
        with self._started(command) as process:
            out, log = process.communicate(timeout=300)
        return subprocess.CompletedProcess(command, process.returncode, out, log)

    def output(self, command: str) -> str:
        """Run a command that must succeed, and return what it prints."""
        done = self.run(command)
        if done.returncode != 0:
            pytest.fail(f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    @contextmanager
    def serving(self, command: str, ready: str) -> Iterator[None]:
        """Run a server; its log has the text ``ready`` when clients can connect."""
        with self._started(command, out=subprocess.DEVNULL) as process:
            assert process.stderr is not None
            wait_for(re.compile(ready), process.stderr, "the server")
            yield

    @contextmanager
    def _started(self, command: str, out: int = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            ["bash", "-c", f"{self._options.code}\n{command}"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            # The shell and all that it has started.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait(60)


def free_port() -> int:
    """Return a port that no server has, and that no client gets from the system.

    A server here opens its port ten seconds later; systems give clients ports from 32768 on.
    """
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    pytest.fail("a hundred ports between 20000 and 32000 are taken")
