"""The rows that are written to the topic, in order, and the counts that a query must find."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa

from tidegate.demo.compare import Expected
from tidegate.demo.generate import MINUTE, Arrivals, end_markers, generate

WINDOW_MS = 10_000
LAG_SECONDS = 5
"""More than the disorder within a partition."""

BACKLOG = 0.2
"""The share of the rows that is written before the query starts."""

SILENT_FROM = 0.5
ADDED_FROM = 0.6
"""The shares of the rows after which a partition falls silent, and after which one is added."""


@dataclass(frozen=True)
class Row:
    """A row of the topic."""

    partition: int
    order_id: int
    time: datetime

    def text(self, event_time: str) -> str:
        """Return the row as JSON."""
        return json.dumps({"order_id": self.order_id, event_time: self.time.isoformat()})


def uneven(rows: int, partitions: int) -> Arrivals:
    """Describe so many partitions: most run together, one is behind, one stops, one is added."""
    return Arrivals(
        "order_time",
        rows,
        seed=1,
        substreams=partitions + 1,
        length=20 * MINUTE,
        lagging=partitions - 1,
        behind=5 * MINUTE,
        silent=partitions - 3,
        silent_from=SILENT_FROM,
        added=partitions,
        added_from=ADDED_FROM,
    )


class Log:
    """The rows of the topic, in order."""

    def __init__(self, arrivals: Arrivals, since: datetime | None = None) -> None:
        """Make the rows, and leave out those of times before `since`."""
        self.partitions = arrivals.substreams - (arrivals.added is not None)
        """How many partitions there are at the beginning."""
        self.arrivals = arrivals
        made = _rows(self.arrivals, generate(self.arrivals))
        self.rows = [row for row in made if since is None or row.time >= since]
        self.end = list(_rows(self.arrivals, end_markers(self.arrivals)))
        self._times: dict[int, list[int]] = {}
        for row in self.rows:
            self._times.setdefault(row.partition, []).append(round(row.time.timestamp() * 1000))

    @property
    def added_at(self) -> int | None:
        """How many rows are written before a partition is added; None if none is."""
        added = self.arrivals.added
        return next((n for n, row in enumerate(self.rows) if row.partition == added), None)

    @property
    def bounds(self) -> tuple[datetime, datetime]:
        """The first and the last time, without the end markers."""
        times = [row.time for row in self.rows]
        return min(times), max(times)

    def expected(self, offsets: Mapping[int, int]) -> Expected:
        """Count the windows of the rows below some offset of each partition."""
        read = {p: times[: offsets.get(p, 0)] for p, times in self._times.items()}
        counts = Counter(time // WINDOW_MS * WINDOW_MS for times in read.values() for time in times)
        windows = {start: (start + WINDOW_MS, count) for start, count in counts.items()}
        return Expected(windows, sum(counts.values()))

    def whole(self) -> Expected:
        """Count the windows of all rows."""
        return self.expected({p: len(times) for p, times in self._times.items()})


def _rows(arrivals: Arrivals, table: pa.Table) -> Iterator[Row]:
    columns = (table[name].to_pylist() for name in ("partition", "order_id", arrivals.event_time))
    for partition, order_id, time in zip(*columns, strict=True):
        yield Row(partition, order_id, time)
