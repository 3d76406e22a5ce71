"""Shows one snapshot after the other: in place on a terminal, line by line elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from rich.console import Console
from rich.live import Live

from tidegate.demo.kafka.snapshot import Snapshot
from tidegate.demo.kafka.view import View, line

Show = Callable[[Snapshot], None]

LINE_SECONDS = 1.0


@contextmanager
def screen(bounds: tuple[datetime, datetime]) -> Iterator[Show]:
    """Yield a function that shows a snapshot, with bars from one time to another."""
    console = Console()
    if not sys.stdout.isatty() or console.is_dumb_terminal:
        lines = Lines()
        yield lines.show
        lines.close()
        return
    with Live(console=console, auto_refresh=False) as live:
        yield lambda snapshot: live.update(View(snapshot, bounds), refresh=True)


class Lines:
    """Writes a line for a batch, but not too often."""

    def __init__(self, every_seconds: float = LINE_SECONDS) -> None:
        """Write at most one line per `every_seconds`."""
        self._every_seconds = every_seconds
        self._batch = -1
        self._seconds = float("-inf")
        self._left_out: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Write the line of a snapshot, unless nothing has happened since the last one."""
        if snapshot.batch == self._batch:
            return
        if snapshot.seconds - self._seconds < self._every_seconds:
            self._left_out = snapshot
            return
        self._batch, self._seconds, self._left_out = snapshot.batch, snapshot.seconds, None
        print(line(snapshot), flush=True)

    def close(self) -> None:
        """Write the line of the last snapshot, if it was left out."""
        if self._left_out is not None:
            print(line(self._left_out), flush=True)
