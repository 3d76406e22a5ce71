"""Workers that run in another Python than the driver."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.serializers import CloudPickleSerializer

import tidegate
from tidegate import _workers


class FakeContext:
    """A SparkContext, as far as it tells of its workers."""

    def __init__(self, python: str, master: str = "local[2]", *sent: str) -> None:
        self.pythonExec = python
        self.master = master
        self.environment: dict[str, str] = {}
        self._python_includes = list(sent)


def python(folder: Path, exit_code: int) -> str:
    """Return a Python that answers so."""
    file = folder / "python3"
    file.write_text(f"#!/bin/sh\nexit {exit_code}\n")
    file.chmod(0o755)
    return str(file)


def check(context: Any) -> None:
    _workers.check("mapAsync", context)


def test_check_when_workers_lack_tidegate_then_names_both_pythons(tmp_path: Path) -> None:
    without = python(tmp_path, 3)

    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        check(FakeContext(without))

    assert str(error.value) == (
        f"mapAsync needs Tidegate in the Python of Spark's workers, and {without}, which they use "
        f"({without}), does not have it. Set PYSPARK_PYTHON to {sys.executable}, which has it, "
        "before the first session is created, or install Tidegate there."
    )


def test_check_when_workers_may_have_tidegate_then_passes(tmp_path: Path) -> None:
    without = python(tmp_path, 3)
    check(None)
    check(FakeContext(sys.executable))
    check(FakeContext(without, "yarn"))
    check(FakeContext(without, "local[2]", "tidegate.zip"))
    check(FakeContext("python-that-is-nowhere"))
    (tmp_path / "with").mkdir()
    check(FakeContext(python(tmp_path / "with", 0)))


READS_IN_WORKER = """
import importlib.util, os, pickle, sys
if sys.argv[1] == "without":
    find_spec = importlib.util.find_spec
    sys.modules["tidegate"] = None
    importlib.util.find_spec = lambda name: None if name == "tidegate" else find_spec(name)
mapped = pickle.loads(sys.stdin.buffer.read())
try:
    print(list(mapped(["a row"])))
except ModuleNotFoundError as error:
    print(f"{error} {os.environ['SPARK_HIDE_TRACEBACK']}")
"""


def read_in_worker(mapped: Any, tidegate: str) -> str:
    """Run a function that was carried to another process, with Tidegate or without."""
    read = subprocess.run(
        [sys.executable, "-c", READS_IN_WORKER, tidegate],
        input=CloudPickleSerializer().dumps(mapped),  # type: ignore[no-untyped-call]
        capture_output=True,
        check=True,
    )
    return read.stdout.decode().strip()


def test_carried_when_a_worker_lacks_tidegate_then_it_says_where() -> None:
    mapped = _workers.carried("mapAsync", _workers.is_local)

    assert read_in_worker(mapped, "without") == (
        f"mapAsync needs Tidegate in the Python of Spark's workers, and {sys.executable} on "
        f"{socket.gethostname()} does not have it. Install Tidegate there, or set PYSPARK_PYTHON "
        "to a Python that has it on each machine, before the first session is created. 1"
    )


def test_carried_when_a_worker_has_tidegate_then_it_calls_the_function() -> None:
    mapped = _workers.carried("mapAsync", lambda batches: [f"{batch}, read" for batch in batches])

    assert read_in_worker(mapped, "with") == "['a row, read']"


@pytest.mark.parametrize("chosen", [None, "/usr/bin/python3"])
def test_own_python_when_none_is_chosen_then_workers_use_it(
    monkeypatch: pytest.MonkeyPatch, chosen: str | None
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "")
    monkeypatch.delenv("PYSPARK_PYTHON")
    if chosen is not None:
        monkeypatch.setenv("PYSPARK_PYTHON", chosen)

    _workers.use_own_python()

    assert os.environ["PYSPARK_PYTHON"] == (chosen or sys.executable)
