"""The table at the end of the demonstration."""

from dataclasses import dataclass

from tidegate.demo.compare import Comparison, Expected
from tidegate.demo.run import Outcome

HEADER = (
    "stream",
    "watermark",
    "rows in",
    "rows dropped",
    "windows",
    "wrong",
    "still open",
    "first window",
    "last window",
)


@dataclass(frozen=True)
class Result:
    """What one engine made of one stream."""

    feed: str
    expected: Expected
    outcome: Outcome
    comparison: Comparison

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        found = self.comparison
        return (
            self.feed,
            self.outcome.engine,
            f"{self.expected.rows:,}",
            f"{found.rows_dropped:,}",
            f"{found.windows:,}",
            f"{found.wrong:,}",
            f"{found.still_open:,}",
            _seconds(self.outcome.first_window),
            _seconds(self.outcome.last_window),
        )


def render(results: list[Result]) -> str:
    """Return the results as a table, with the names on the left and the numbers on the right."""
    return lay_out([HEADER, *(result.cells() for result in results)], names=2)


def lay_out(rows: list[tuple[str, ...]], names: int) -> str:
    """Return rows, of which the first is the header, as text; the first columns are names."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _seconds(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:.1f} s"
