"""Compares what the queries wrote with what the producer wrote, row by row."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from soak import sink, written
from soak.contract import AFTER_MS, BEFORE_MS, DELIVERIES, ORDERS, WINDOW_MS, Row
from tidegate.demo.table import lay_out

HEADER = ("result", "expected", "found", "missing", "unexpected", "twice")
SHOWN = 5

Found = Counter[tuple[object, ...]]
"""Rows of a result, and how often each is there."""


@dataclass(frozen=True)
class Difference:
    """How a result differs from what it has to be."""

    name: str
    expected: int
    found: int
    missing: list[tuple[object, ...]]
    unexpected: list[tuple[object, ...]]
    twice: list[tuple[object, ...]]

    @property
    def nothing(self) -> bool:
        """Whether the result is right."""
        return not (self.missing or self.unexpected or self.twice)

    def examples(self) -> str:
        """Show some of the differences."""
        kinds = {"missing": self.missing, "unexpected": self.unexpected, "twice": self.twice}
        lines = [
            f"{self.name}, {kind}: {', '.join(map(str, rows[:SHOWN]))}"
            for kind, rows in kinds.items()
            if rows
        ]
        return "\n".join(lines)


def verify(log: Path, counts: Path, pairs: Path) -> list[Difference]:
    """Compare both results with the log of the producer."""
    rows = [row for row in written.read(log) if not row.is_marker]
    found_counts = Counter(
        (row["topic"], row["start"], row["rows"], row["ids"]) for row in sink.committed(counts)
    )
    found_pairs = Counter(
        (row["order_id"], row.get("delivery_id")) for row in sink.committed(pairs)
    )
    return [
        compare("windows", expected_counts(rows), Counter(found_counts)),
        compare("orders with deliveries", expected_pairs(rows), Counter(found_pairs)),
    ]


def expected_counts(rows: Iterable[Row]) -> Found:
    """Count the rows of each topic and window, with the sum of their numbers."""
    counts: Counter[tuple[str, int]] = Counter()
    sums: Counter[tuple[str, int]] = Counter()
    for row in rows:
        window = row.topic, row.time // WINDOW_MS * WINDOW_MS
        counts[window] += 1
        sums[window] += row.id
    return Counter((*window, count, sums[window]) for window, count in counts.items())


def expected_pairs(rows: Iterable[Row]) -> Found:
    """Find the deliveries within the bounds of each order, or none."""
    orders: dict[int, int] = {}
    deliveries: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.topic == ORDERS:
            orders[row.id] = row.time
        elif row.topic == DELIVERIES:
            deliveries[row.ref].append(row)
    pairs: Found = Counter()
    for order, at in orders.items():
        partners: list[int | None] = [
            delivery.id
            for delivery in deliveries[order]
            if at - BEFORE_MS <= delivery.time <= at + AFTER_MS
        ]
        pairs.update((order, partner) for partner in partners or [None])
    return pairs


def compare(name: str, expected: Found, found: Found) -> Difference:
    """Compare a result, whose expected rows are all different."""
    return Difference(
        name,
        expected.total(),
        found.total(),
        missing=_sorted(expected - found),
        unexpected=_sorted(row for row in found if row not in expected),
        twice=_sorted(row for row, times in found.items() if row in expected and times > 1),
    )


def table(differences: list[Difference]) -> str:
    """Return the differences as a table."""
    cells = [
        (
            d.name,
            f"{d.expected:,}",
            f"{d.found:,}",
            f"{len(d.missing):,}",
            f"{len(d.unexpected):,}",
            f"{len(d.twice):,}",
        )
        for d in differences
    ]
    return lay_out([HEADER, *cells], names=1)


def _sorted(rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted(rows, key=str)
