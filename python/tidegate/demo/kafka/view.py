"""Draws a snapshot: as tables for a terminal, and as one line for everything else."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.table import Table
from rich.text import Text

from tidegate.demo.kafka.snapshot import Partition, Snapshot, State, Watermark

STYLES = {
    State.ACTIVE: "green",
    State.BEHIND: "yellow",
    State.IDLE: "dim",
    State.UNREAD: "magenta",
    State.EMPTY: "dim",
}
WIDTH_WITHOUT_BARS = 62
MOST_BAR = 60
LEAST_BAR = 6
NOTHING = "-"


@dataclass(frozen=True)
class View:
    """A snapshot as tables; bars reach from one time to another."""

    snapshot: Snapshot
    bounds: tuple[datetime, datetime]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw as wide as there is room."""
        yield Group(
            Text(_heading(self.snapshot)),
            self._partitions(options),
            self._watermarks(),
        )

    def _partitions(self, options: ConsoleOptions) -> Table:
        table = _table("partition", "time", "behind", "read", "unread")
        table.add_column("state", no_wrap=True)
        bar = min(MOST_BAR, options.max_width - WIDTH_WITHOUT_BARS)
        if bar >= LEAST_BAR:
            table.add_column("", no_wrap=True, width=bar)
        for partition in self.snapshot.partitions:
            cells: list[str | Text] = [
                str(partition.number),
                clock(partition.time),
                span(partition.time, self.snapshot.newest),
                f"{partition.read:,}",
                f"{partition.unread:,}",
                Text(partition.state.value, STYLES[partition.state]),
            ]
            if bar >= LEAST_BAR:
                cells.append(self._bar(partition, bar, options.ascii_only))
            table.add_row(*cells)
        return table

    def _bar(self, partition: Partition, width: int, ascii_only: bool) -> Text:
        """Draw how far a partition is, and where the first watermark stands."""
        full, empty, mark = ("#", ".", "|") if ascii_only else ("█", "·", "┃")
        reached = self._place(partition.time, width)
        text = Text(full * reached, STYLES[partition.state])
        text.append(empty * (width - reached), "dim")
        watermark = self.snapshot.watermarks[0].time
        if watermark is None:
            return text
        at = min(width - 1, self._place(watermark, width))
        return Text.assemble(text[:at], (mark, "bold cyan"), text[at + 1 :])

    def _place(self, time: datetime | None, width: int) -> int:
        first, last = self.bounds
        if time is None:
            return 0
        return max(0, min(width, round((time - first) / (last - first) * width)))

    def _watermarks(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("watermark", no_wrap=True)
        for name in ("time", "behind"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("waits for", no_wrap=True)
        for name in ("windows out", "rows dropped"):
            table.add_column(name, justify="right", no_wrap=True)
        for watermark in self.snapshot.watermarks:
            table.add_row(
                watermark.name,
                clock(watermark.time),
                span(watermark.time, self.snapshot.newest),
                watermark.waits_for,
                f"{watermark.windows:,}",
                Text(f"{watermark.dropped:,}", "bold red" if watermark.dropped else "green"),
            )
        return table


def line(snapshot: Snapshot) -> str:
    """Return a snapshot as one line."""
    parts = [f"{snapshot.seconds:5.1f} s"]
    parts += [_short(watermark) for watermark in snapshot.watermarks]
    if snapshot.unread:
        parts.append(f"unread {snapshot.unread:,}")
    for word, states in (("idle", [State.IDLE]), ("waiting", [State.UNREAD])):
        numbers = snapshot.numbers(*states)
        if numbers:
            parts.append(f"{word} {','.join(map(str, numbers))}")
    return "  ".join(parts)


def clock(time: datetime | None) -> str:
    """Write a time of day."""
    return NOTHING if time is None else f"{time:%H:%M:%S}"


def span(time: datetime | None, newest: datetime | None) -> str:
    """Write how far a time is behind the newest one, in minutes and seconds."""
    if time is None or newest is None:
        return NOTHING
    minutes, seconds = divmod(max(0, (newest - time) // timedelta(seconds=1)), 60)
    return f"{minutes}:{seconds:02}"


def _heading(snapshot: Snapshot) -> str:
    return f"{snapshot.seconds:5.1f} s   read {snapshot.read:,}   unread {snapshot.unread:,}"


def _short(watermark: Watermark) -> str:
    return f"{watermark.name} {clock(watermark.time)} dropped {watermark.dropped:,}"


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first, justify="right", no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table
