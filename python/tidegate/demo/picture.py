"""The picture: both watermarks against the substreams' own times."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tidegate.demo.substreams import Series

MS_PER_MINUTE = 60_000
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
    with rc_context({"date.autoformatter.minute": "%H:%M"}):
        _draw(panels, path)


def _draw(panels: list[Panel], path: Path) -> None:
    figure = Figure(figsize=(11, 4.2 * len(panels) + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(panel, axis)
    figure.suptitle("A row below the watermark is dropped as late", fontsize=14)
    figure.savefig(path, dpi=130)


def _draw_panel(panel: Panel, axis: Axes) -> None:
    drawn = dict(list(panel.substreams.items())[:MOST_SUBSTREAMS])
    for number, series in enumerate(drawn.values()):
        label = "substreams' own times" if number == 0 else None
        axis.plot(*_points(series), color="0.6", linewidth=1, marker=".", markersize=3, label=label)
    for (name, series), colour in zip(panel.watermarks.items(), COLOURS, strict=False):
        label = f"watermark: {name}"
        axis.step(*_points(series), where="post", color=colour, linewidth=2.2, label=label)
    _limit(panel, axis)
    _name_ends(drawn, axis)
    axis.set_title(panel.name, loc="left")
    axis.set_xlabel("batch of the streaming query")
    axis.set_ylabel("event time (UTC)")
    axis.grid(color="0.92")
    if drawn or panel.watermarks:
        axis.legend(loc="upper left", framealpha=0.9)


def _limit(panel: Panel, axis: Axes) -> None:
    """Fit the substreams; a watermark that an end marker carried away leaves at the top."""
    times = [time for series in panel.substreams.values() for time in series.values()]
    if times:
        margin = max(1000, (max(times) - min(times)) // 10)
        bottom, top = np.array([min(times) - margin, max(times) + margin], "datetime64[ms]")
        axis.set_ylim(bottom, top)


def _name_ends(substreams: Mapping[str, Series], axis: Axes) -> None:
    """Write the names of substreams at their last points, one text for those that end together."""
    ends: dict[tuple[int, int], list[str]] = {}
    for name, series in substreams.items():
        batch = max(series)
        ends.setdefault((batch, round(series[batch] / MS_PER_MINUTE)), []).append(name)
    for (batch, minute), names in ends.items():
        end = (batch, np.datetime64(minute * MS_PER_MINUTE, "ms"))
        axis.annotate(
            "substream " + ", ".join(names),
            end,
            xytext=(0, 5),
            ha="center",
            textcoords="offset points",
            fontsize=8,
            color="0.3",
        )


def _points(series: Series) -> tuple[list[int], npt.NDArray[np.datetime64]]:
    batches = sorted(series)
    return batches, np.array([series[batch] for batch in batches], "datetime64[ms]")
