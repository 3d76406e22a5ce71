"""Says how far the demonstration is: one line that changes on a terminal, plain lines elsewhere."""

import time
from typing import TextIO


class Progress:
    """Writes messages; on a terminal an update replaces the one before it."""

    def __init__(self, out: TextIO, every_seconds: float = 2.0) -> None:
        """Write to `out`; where that is no terminal, at most one update per `every_seconds`."""
        self._out = out
        self._every_seconds = every_seconds
        self._written_at = float("-inf")
        self._width = 0

    def update(self, text: str) -> None:
        """Show a message that the next one replaces."""
        if self._out.isatty():
            self._out.write("\r" + text.ljust(self._width))
            self._width = max(self._width, len(text))
        elif time.monotonic() - self._written_at >= self._every_seconds:
            self._out.write(text + "\n")
            self._written_at = time.monotonic()
        self._out.flush()

    def say(self, text: str) -> None:
        """Show a message that stays."""
        if self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._width = 0
        self._out.write(text + "\n")
        self._out.flush()
