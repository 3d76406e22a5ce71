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
    """Give what shows a snapshot; bars reach from one time to another."""
    console = Console()
    if not sys.stdout.isatty() or console.is_dumb_terminal:
        yield Lines().show
        return
    with Live(console=console, auto_refresh=False) as live:
        yield lambda snapshot: live.update(View(snapshot, bounds), refresh=True)


class Lines:
    """Writes a line for a batch, at most one in a while."""

    def __init__(self, every_seconds: float = LINE_SECONDS) -> None:
        """Write at most one line per `every_seconds`."""
        self._every_seconds = every_seconds
        self._batch = -1
        self._seconds = float("-inf")

    def show(self, snapshot: Snapshot) -> None:
        """Write the line of a snapshot, unless nothing has happened since the last one."""
        due = snapshot.seconds - self._seconds >= self._every_seconds
        if due and snapshot.batch != self._batch:
            self._batch, self._seconds = snapshot.batch, snapshot.seconds
            print(line(snapshot), flush=True)
