"""The picture: both watermarks against the substreams' own times."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tidegate.demo.substreams import Series

MS_PER_DAY = 24 * 3600 * 1000
"""Matplotlib counts time in days since 1970."""

COLOURS = ("#d1495b", "#00798c", "#edae49", "#66a182")
MOST_SUBSTREAMS = 12
"""More lines than these cannot be told apart; the first ones by name are drawn."""


@dataclass(frozen=True)
class Panel:
    """One stream: its substreams' own times, and the watermark of each engine, batch by batch."""

    name: str
    substreams: Mapping[str, Series]
    watermarks: Mapping[str, Series]


def draw(panels: list[Panel], path: Path) -> None:
    """Write the picture as PNG, one panel per stream."""
    figure = Figure(figsize=(11, 4.2 * len(panels) + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(panel, axis)
    figure.suptitle("A row below the watermark is dropped as late", fontsize=14)
    figure.savefig(path, dpi=130)


def _draw_panel(panel: Panel, axis: Axes) -> None:
    for number, (name, series) in enumerate(panel.substreams.items()):
        if number == MOST_SUBSTREAMS:
            break
        batches, times = _points(series)
        label = "substreams' own times" if number == 0 else None
        axis.plot(batches, times, color="0.6", linewidth=1, marker=".", markersize=3, label=label)
        axis.annotate(
            name,
            (batches[-1], times[-1]),
            xytext=(4, 0),
            fontsize=7,
            color="0.4",
            textcoords="offset points",
            va="center",
        )
    for (name, series), colour in zip(panel.watermarks.items(), COLOURS, strict=False):
        batches, times = _points(series)
        axis.step(
            batches, times, where="post", color=colour, linewidth=2.2, label=f"watermark: {name}"
        )
    _limit(panel, axis)
    axis.set_title(panel.name, loc="left")
    axis.set_xlabel("batch")
    axis.set_ylabel("event time (UTC)")
    axis.yaxis_date(tz="UTC")
    axis.grid(color="0.92")
    axis.legend(loc="upper left", framealpha=0.9)


def _limit(panel: Panel, axis: Axes) -> None:
    """Fit the substreams; a watermark that an end marker carried away leaves at the top."""
    times = [time for series in panel.substreams.values() for time in series.values()]
    if times:
        margin = max(1000, (max(times) - min(times)) // 20)
        axis.set_ylim(_number(min(times) - 2 * margin), _number(max(times) + 2 * margin))


def _points(series: Series) -> tuple[list[int], list[float]]:
    batches = sorted(series)
    return batches, [_number(series[batch]) for batch in batches]


def _number(epoch_ms: int) -> float:
    return epoch_ms / MS_PER_DAY
