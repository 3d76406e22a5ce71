"""Rows in arrival order, of substreams that lag, fall silent, or are added later."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Micros = npt.NDArray[np.int64]

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SECOND = 1_000_000
MINUTE = 60 * SECOND


@dataclass(frozen=True)
class Arrivals:
    """What the rows of one stream look like; times are microseconds."""

    event_time: str
    rows: int
    seed: int
    substreams: int = 8
    files: int = 24
    length: int = 60 * MINUTE
    disorder: int = 4 * SECOND
    lagging: int = 7
    behind: int = 10 * MINUTE
    silent: int | None = 5
    silent_from: float = 0.5
    added: int | None = None
    added_from: float = 0.6
    start: datetime = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)

    @property
    def end_marker(self) -> datetime:
        """The time of the last rows: an hour after the others, so that every window closes."""
        return self.start + timedelta(microseconds=self.length) + timedelta(hours=1)


def write_arrivals(arrivals: Arrivals, folder: Path) -> None:
    """Write the stream as Parquet files, one per stretch of arrival time, and the end markers."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("arrival-*.parquet"):
        old.unlink()
    table = generate(arrivals)
    bounds = np.linspace(0, arrivals.rows, arrivals.files + 1).astype(int)
    for number, (begin, end) in enumerate(pairwise(bounds)):
        _write(table.slice(begin, end - begin), arrivals, folder, number)
    _write(end_markers(arrivals), arrivals, folder, arrivals.files)


def generate(arrivals: Arrivals) -> pa.Table:
    """Return the rows in arrival order; the same description gives the same rows."""
    random = np.random.default_rng(arrivals.seed)
    arrival = np.sort(random.integers(0, arrivals.length, arrivals.rows))
    partition = _partitions(arrivals, arrival, random)
    lateness = random.integers(0, arrivals.disorder, arrivals.rows)
    lateness[partition == arrivals.lagging] += arrivals.behind
    amount = random.gamma(2.0, 20.0, arrivals.rows).round(2)
    return _table(arrivals, np.arange(arrivals.rows), arrival - lateness, partition, amount)


def end_markers(arrivals: Arrivals) -> pa.Table:
    """Return one row per substream that is still alive, at the time of the end marker."""
    alive = _alive(arrivals)
    since_start = _micros(arrivals.end_marker - arrivals.start)
    return _table(
        arrivals,
        order_id=np.full(len(alive), -1),
        since_start=np.full(len(alive), since_start),
        partition=alive,
        amount=np.zeros(len(alive)),
    )


def _partitions(arrivals: Arrivals, arrival: Micros, random: np.random.Generator) -> Micros:
    """Spread the rows over the substreams; two of them have rows part of the time."""
    partition = random.integers(0, arrivals.substreams, arrivals.rows)
    silence_begins = arrivals.silent_from * arrivals.length
    added_at = arrivals.added_from * arrivals.length
    absent = (partition == arrivals.silent) & (arrival >= silence_begins)
    if arrivals.added is not None:
        absent |= (partition == arrivals.added) & (arrival < added_at)
    others = np.array([p for p in _alive(arrivals) if p != arrivals.added])
    partition[absent] = random.choice(others, absent.sum())
    return partition


def _alive(arrivals: Arrivals) -> Micros:
    return np.array([p for p in range(arrivals.substreams) if p != arrivals.silent])


def _table(
    arrivals: Arrivals,
    order_id: Micros,
    since_start: Micros,
    partition: Micros,
    amount: npt.NDArray[np.float64],
) -> pa.Table:
    start = _micros(arrivals.start - EPOCH)
    return pa.table(
        {
            "order_id": pa.array(order_id, pa.int64()),
            arrivals.event_time: pa.array(since_start + start, pa.timestamp("us", tz="UTC")),
            "partition": pa.array(partition, pa.int32()),
            "amount": pa.array(amount, pa.float64()),
        }
    )


def _micros(time: timedelta) -> int:
    return time // timedelta(microseconds=1)


def _write(table: pa.Table, arrivals: Arrivals, folder: Path, number: int) -> None:
    """Write one file; Spark reads files by modification time, so each is a minute younger."""
    path = folder / f"arrival-{number:04d}.parquet"
    pq.write_table(table, path)
    modified = (arrivals.start + timedelta(minutes=number)).timestamp()
    os.utime(path, (modified, modified))
