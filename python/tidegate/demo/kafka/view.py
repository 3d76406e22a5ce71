"""Draws a snapshot: as tables for a terminal, and as one line for everything else."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from rich import box
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderResult
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
MARK = "bold reverse"
NUMBERS = {"partition": 9, "time": 8, "behind": 6, "read": 7, "unread": 7}
STATE_WIDTH = 12
WAITS_FOR_WIDTH = 22
GAP = 2
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
            Text(_heading(self.snapshot), no_wrap=True),
            "",
            self._partitions(options),
            "",
            self._watermarks(),
        )

    def _partitions(self, options: ConsoleOptions) -> Table:
        table = _table()
        for name, width in NUMBERS.items():
            _add(table, name, width, "right")
        _add(table, "state", STATE_WIDTH)
        without_bars = sum(NUMBERS.values()) + STATE_WIDTH + GAP * (len(NUMBERS) + 1)
        bar = min(MOST_BAR, options.max_width - without_bars)
        if bar >= LEAST_BAR:
            _add(table, _legend(self.snapshot), bar)
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
        """Draw how far a partition is, and where the watermarks stand, by their initials."""
        full, empty = ("#", ".") if ascii_only else ("█", "·")
        reached = self._place(partition.time, width)
        text = Text(full * reached, STYLES[partition.state])
        text.append(empty * (width - reached), "dim")
        for watermark in reversed(self.snapshot.watermarks):
            if watermark.time is not None:
                at = min(width - 1, self._place(watermark.time, width))
                text = Text.assemble(text[:at], (watermark.name[0], MARK), text[at + 1 :])
        return text

    def _place(self, time: datetime | None, width: int) -> int:
        first, last = self.bounds
        if time is None:
            return 0
        return max(0, min(width, round((time - first) / (last - first) * width)))

    def _watermarks(self) -> Table:
        table = _table()
        _add(table, "watermark", NUMBERS["partition"])
        for name in ("time", "behind"):
            _add(table, name, NUMBERS[name], "right")
        _add(table, "waits for", WAITS_FOR_WIDTH)
        for name in ("windows out", "rows dropped"):
            _add(table, name, len(name), "right")
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
    for state in (State.IDLE, State.UNREAD):
        numbers = snapshot.numbers(state)
        if numbers:
            parts.append(f"{state.value} {','.join(map(str, numbers))}")
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
    return (
        f"{snapshot.seconds:.0f} s, {snapshot.read:,} of {snapshot.rows:,} rows read, "
        f"{snapshot.unread:,} unread"
    )


def _legend(snapshot: Snapshot) -> str:
    initials = ", ".join(watermark.name[0] for watermark in snapshot.watermarks)
    return f"{initials}: watermarks"


def _short(watermark: Watermark) -> str:
    return f"{watermark.name} {clock(watermark.time)} dropped {watermark.dropped:,}"


def _table() -> Table:
    """Return a table whose columns have a gap of two: one of the padding, one of the box."""
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def _add(table: Table, name: str, width: int, side: JustifyMethod = "left") -> None:
    """Add a column; text without room is cut off, with no ellipsis: ASCII does not have it."""
    table.add_column(Text(name), justify=side, width=width, no_wrap=True, overflow="crop")
