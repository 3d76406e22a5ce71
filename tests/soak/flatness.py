"""Whether what is measured stays flat: the last quarter of a run against its second quarter.

The first quarter is left out: caches fill, and so does the state, up to the bounds of the join.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from soak.contract import AFTER_MS, BEFORE_MS
from soak.samples import Sample
from tidegate.demo.table import lay_out

HEADER = ("", "query", "2nd quarter", "4th quarter", "ratio", "bound", "")
LEAST_MINUTES = 20
"""Quarters of a shorter run have few samples, and processes that have just started."""

Value = Callable[[Sample], float | None]


@dataclass(frozen=True)
class Measure:
    """Something that has to stay flat, and by which factor it may grow."""

    name: str
    value: Value
    bound: float
    unit: float = 1
    whole_process: bool = False


MEASURES = (
    # Each process begins anew, and its heap grows until its code is warm: the median over several
    # processes depends on their ages. A leak over batches adds up to more.
    Measure("heap, MB", lambda s: s.heap_bytes, 1.5, 1e6, whole_process=True),
    # How far the watermark is behind follows from silence and restarts, and differs by quarter. A
    # watermark that stands still is 2.3 times as far behind.
    Measure("watermark behind, s", lambda s: s.lag_ms, 2.0, 1e3),
    # The state holds the rows of the time that the watermark is behind, and of the join's bounds:
    # a state that is never emptied shows, and a watermark that waits for a silence does not.
    Measure("state, rows for 100 s", lambda s: _for_100_s(s, s.state_rows), 1.6),
    Measure("state, kB for 100 s", lambda s: _for_100_s(s, s.state_bytes), 1.6, 1e3),
    # Each partition has its share of an offset, so partitions that are added do not show.
    Measure("offset, bytes for each substream", lambda s: s.offset_bytes / s.substreams, 1.3),
    # Other work on the machine, and rows that wait after a restart, make batches longer.
    Measure("batch, ms", lambda s: s.batch_ms, 2.0),
)


@dataclass(frozen=True)
class Trend:
    """The medians of a measure in two quarters."""

    measure: Measure
    query: str
    second: float
    fourth: float

    @property
    def ratio(self) -> float:
        """By which factor the measure has grown."""
        return self.fourth / self.second if self.second else float(self.fourth > 0) + 1

    @property
    def flat(self) -> bool:
        """Whether it has grown by less than its bound."""
        return self.ratio <= self.measure.bound


def trends(samples: list[Sample], start: float, end: float) -> list[Trend]:
    """Compare the quarters of a run, for each measure and query."""
    quarter = (end - start) / 4
    found = []
    for measure in MEASURES:
        queries = {"both"} if measure.whole_process else {sample.query for sample in samples}
        for query in sorted(queries):
            own = [s for s in samples if query in ("both", s.query)]
            second = _median(own, measure, start + quarter, start + 2 * quarter)
            fourth = _median(own, measure, start + 3 * quarter, end)
            if second is not None and fourth is not None:
                found.append(Trend(measure, query, second, fourth))
    return found


def table(found: list[Trend]) -> str:
    """Return the trends as a table."""
    cells = [
        (
            trend.measure.name,
            trend.query,
            f"{trend.second / trend.measure.unit:,.0f}",
            f"{trend.fourth / trend.measure.unit:,.0f}",
            f"{trend.ratio:.2f}",
            f"{trend.measure.bound:.1f}",
            "" if trend.flat else "grows",
        )
        for trend in found
    ]
    return lay_out([HEADER, *cells], names=2)


def _for_100_s(sample: Sample, held: float) -> float | None:
    if sample.lag_ms is None or sample.lag_ms < 0:
        return None
    return 100_000 * held / (sample.lag_ms + BEFORE_MS + AFTER_MS)


def _median(samples: list[Sample], measure: Measure, begin: float, end: float) -> float | None:
    values = [measure.value(s) for s in samples if begin <= s.time < end and s.substreams]
    known = [value for value in values if value is not None]
    return median(known) if known else None
