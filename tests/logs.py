"""The logs of processes that a test starts."""

import re
from collections.abc import Iterator
from threading import Thread

import pytest


def wait_for(pattern: re.Pattern[str], log: Iterator[str], process: str) -> re.Match[str]:
    """Read a log up to the line that fits, and the rest of the log in the background.

    Fail the test, with the log, if it ends before.
    """
    lines: list[str] = []
    for line in log:
        found = pattern.search(line)
        if found is not None:
            # A process whose log nobody reads stands still.
            Thread(target=lines.extend, args=(log,), daemon=True).start()
            return found
        lines.append(line)
    pytest.fail(f"{process} did not start:\n" + "".join(lines))
