"""Whether the windows in the sink are those of a batch query, and none was lost or came twice."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tidegate.demo.compare import Expected
from tidegate.demo.table import lay_out

HEADER = ("windows closed by", "windows", "rows in", "rows counted", "rows dropped", "wrong")

Emitted = list[tuple[int, int]]
"""What the sink has: the start in epoch ms and the count of each window."""


@dataclass(frozen=True)
class Part:
    """The windows that one watermark has closed, against the batch query."""

    watermark: str
    windows: int
    rows_in: int
    rows_counted: int
    wrong: int

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        dropped = self.rows_in - self.rows_counted
        numbers = (self.windows, self.rows_in, self.rows_counted, dropped, self.wrong)
        return (self.watermark, *(f"{number:,}" for number in numbers))


@dataclass(frozen=True)
class Verdict:
    """What became of the windows; in a good run all numbers but those of Spark's part are 0."""

    spark: Part
    tidegate: Part
    kept: int
    """Windows that were in the sink when the job was stopped."""
    changed: int
    """Those of them that are gone from the sink, or have another count."""
    missing: int
    twice: int
    unknown: int
    """Windows that the batch query does not have."""

    @property
    def is_good(self) -> bool:
        """Whether nothing is lost, nothing came twice, and Tidegate's windows are right."""
        faults = (self.changed, self.missing, self.twice, self.unknown, self.tidegate.wrong)
        return not any(faults)

    def table(self) -> str:
        """Return the windows of both watermarks as a table."""
        return lay_out([HEADER, self.spark.cells(), self.tidegate.cells()], names=1)

    def sentences(self) -> list[str]:
        """Say what was checked, and what was found."""
        return [
            f"Windows in the sink when the job was stopped: {self.kept:,}, of them changed since: "
            f"{self.changed:,}.",
            f"Windows lost: {self.missing:,}. Windows that came twice: {self.twice:,}. Windows "
            f"without rows: {self.unknown:,}.",
            "Good: each window is there once, and each that Tidegate has closed is right."
            if self.is_good
            else "Not good: see the numbers above that are not 0.",
        ]


def judge(expected: Expected, adopted_ms: int, before: Emitted, after: Emitted) -> Verdict:
    """Compare the sink with the batch query.

    Spark has decided about the windows that end at its last watermark, `adopted_ms`, or before.
    `before` is the sink when the job was stopped, `after` the sink at the end.
    """
    by_spark = {start for start, (end, _) in expected.windows.items() if end <= adopted_ms}
    counted = dict(after)
    times = Counter(start for start, _ in after)
    return Verdict(
        spark=_part("Spark", expected, by_spark, counted),
        tidegate=_part("Tidegate", expected, expected.windows.keys() - by_spark, counted),
        kept=len(before),
        changed=sum((Counter(before) - Counter(after)).values()),
        missing=len(expected.windows.keys() - counted.keys()),
        twice=sum(number > 1 for number in times.values()),
        unknown=len(counted.keys() - expected.windows.keys()),
    )


def _part(name: str, expected: Expected, windows: Iterable[int], counted: dict[int, int]) -> Part:
    pairs = [(expected.windows[start][1], counted.get(start, 0)) for start in windows]
    return Part(
        name,
        len(pairs),
        sum(rows for rows, _ in pairs),
        sum(count for _, count in pairs),
        sum(rows != count for rows, count in pairs),
    )
