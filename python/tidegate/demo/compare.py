"""Compares the windows that a stream emitted with the batch result over the same files."""

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import SparkSession

from tidegate.demo.feed import Feed


@dataclass(frozen=True)
class Expected:
    """The batch result: by the start of each window, its end and its count; times in epoch ms."""

    windows: Mapping[int, tuple[int, int]]
    rows_in_files: int

    @property
    def rows(self) -> int:
        """The rows that are counted: all but the end markers."""
        return sum(count for _, count in self.windows.values())

    @property
    def last_window(self) -> int | None:
        """The start of the last window."""
        return max(self.windows, default=None)


@dataclass(frozen=True)
class Comparison:
    """How the windows of a stream differ from the batch result."""

    rows_dropped: int
    windows: int
    wrong: int
    still_open: int


def expect(spark: SparkSession, feed: Feed) -> Expected:
    """Count the windows of a feed in batch."""
    rows = feed.batch(spark)
    counts = feed.counts(feed.without_markers(rows)).collect()
    windows = {row["start"]: (row["end"], row["count"]) for row in counts}
    return Expected(windows, rows.count())


def compare(expected: Expected, counted: Mapping[int, int], watermark: int | None) -> Comparison:
    """Compare the emitted counts with the batch result.

    A window that was not emitted is still open if the last watermark has not passed its end;
    otherwise it is missing, and counts as wrong. Dropped are the rows that closed windows lack.
    """
    closed = {
        start: count
        for start, (end, count) in expected.windows.items()
        if start in counted or (watermark is not None and end <= watermark)
    }
    return Comparison(
        rows_dropped=sum(count - counted.get(start, 0) for start, count in closed.items()),
        windows=len(expected.windows),
        wrong=sum(counted.get(start) != count for start, count in closed.items()),
        still_open=len(expected.windows) - len(closed),
    )
