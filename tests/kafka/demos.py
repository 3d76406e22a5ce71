"""Demonstrations that run in a process of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka.conftest import JARS

TIMEOUT_SECONDS = 240


@contextmanager
def demo(folder: Path, name: str, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a demonstration, with a folder for all that is temporary."""
    command = [sys.executable, "-m", "tidegate", name, "--jars", str(JARS), *options]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def assert_nothing_is_left(folder: Path) -> None:
    assert list(folder.glob("tidegate-*")) == []
    processes = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True).stdout
    assert [line for line in processes.splitlines() if f"{folder}/tidegate-" in line] == []
