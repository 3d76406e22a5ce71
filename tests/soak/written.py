"""The log of the rows that the broker has acknowledged."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from soak.contract import Row


def append(path: Path, rows: Iterable[Row]) -> None:
    """Add rows to the log."""
    with path.open("a", newline="") as file:
        csv.writer(file).writerows(
            (row.topic, row.partition, row.id, row.ref, row.time) for row in rows
        )


def read(path: Path) -> Iterator[Row]:
    """Read the log."""
    with path.open(newline="") as file:
        for topic, partition, number, ref, at in csv.reader(file):
            yield Row(topic, int(partition), int(number), int(ref), int(at))
