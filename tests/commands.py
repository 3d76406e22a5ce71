"""Commands of `python -m tidegate`, one after the other in one process with one JVM."""

import functools
import json
import os
import subprocess
import sys
from typing import NamedTuple

LOOP = """
import contextlib, io, json, sys
from tidegate.__main__ import main

answers = sys.stdout
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as out, \\
         contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(json.loads(line))
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=answers, flush=True)
"""


class Done(NamedTuple):
    """What a command that has ended leaves."""

    returncode: int
    stdout: str
    stderr: str


@functools.cache
def _process() -> subprocess.Popen[str]:
    # It ends with the tests, when nobody has its input open.
    return subprocess.Popen(
        [sys.executable, "-c", LOOP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Tables have times of the zone of the machine.
        env={**os.environ, "TZ": "UTC"},
    )


def command(*arguments: str) -> Done:
    """Run a command in a Spark context of its own, which ends with the command."""
    process = _process()
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps(arguments), file=process.stdin, flush=True)
    return Done(*json.loads(process.stdout.readline()))


def in_process(*arguments: str) -> Done:
    """Run a command as a shell does, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "TZ": "UTC"},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
