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
COLOURS = ("#c8384f", "#00798c", "#b07d12", "#4c8c5f")
OWN_TIMES = "#8a94a0"
MOST_SUBSTREAMS = 12
"""More lines cannot be told apart: only the first by name are drawn."""

TITLE = "Spark's watermark follows the fastest substream, Tidegate's the slowest"
SUBTITLE = (
    "A row below the watermark is dropped as late. A silent substream holds Tidegate's watermark\n"
    "while files are left to read, which may hold its rows; then it is idle and is left out."
)


@dataclass(frozen=True)
class Panel:
    """One stream: its substreams' own times, and the watermark of each engine, batch by batch."""

    name: str
    substreams: Mapping[str, Series]
    watermarks: Mapping[str, Series]


def draw(panels: list[Panel], path: Path) -> None:
    """Write the picture as PNG, one panel per stream."""
    with rc_context({"date.autoformatter.minute": "%H:%M", "font.size": 11}):
        _draw(panels, path)


def _draw(panels: list[Panel], path: Path) -> None:
    figure = Figure(figsize=(10, 3.9 * len(panels) + 1.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(panel, axis)
    axes[0].set_title(TITLE, loc="left", pad=54, fontsize=14, fontweight="bold")
    axes[0].annotate(
        SUBTITLE,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 14),
        textcoords="offset points",
        fontsize=10.5,
        color="0.35",
    )
    axes[-1].set_xlabel("batches of the streaming query")
    figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})


def _draw_panel(panel: Panel, axis: Axes) -> None:
    """Batch n reaches from n to n + 1: its watermark is level there, and its rows end at n + 1."""
    drawn = dict(list(panel.substreams.items())[:MOST_SUBSTREAMS])
    for number, series in enumerate(drawn.values()):
        label = "substreams' own times" if number == 0 else None
        batches, times = _points(series)
        ends = [batch + 1 for batch in batches]
        axis.plot(ends, times, color=OWN_TIMES, linewidth=1.3, label=label)
    for (name, series), colour in zip(panel.watermarks.items(), COLOURS, strict=False):
        _shade_late(drawn, series, colour, f"rows below {name}'s watermark: dropped", axis)
        label = f"{name}'s watermark"
        axis.step(*_points(series), where="post", color=colour, linewidth=2.6, label=label)
    _limit(panel, axis)
    _name_substreams(drawn, axis)
    axis.set_ylabel(f"{panel.name}\nevent time (UTC)")
    axis.grid(color="0.93")
    axis.spines[["top", "right"]].set_visible(False)
    if drawn or panel.watermarks:
        axis.legend(loc="upper left", frameon=False)


def _shade_late(
    substreams: Mapping[str, Series], watermarks: Series, colour: str, label: str, axis: Axes
) -> None:
    """Shade where a substream is below the watermark of the batch before: its rows are late.

    The slowest substream with rows in a batch decides how far down the shade reaches.
    """
    for batch, watermark in sorted(watermarks.items()):
        late = [
            (series.get(batch - 1, series[batch]), series[batch])
            for series in substreams.values()
            if batch in series and series[batch] < watermarks.get(batch - 1, series[batch])
        ]
        if late:
            bottom = np.array(min(late, key=lambda times: times[1]), "datetime64[ms]")
            top = np.array([watermark, watermark], "datetime64[ms]")
            span = [batch, batch + 1]
            axis.fill_between(span, bottom, top, color=colour, alpha=0.16, linewidth=0, label=label)
            label = "_shown already"


def _limit(panel: Panel, axis: Axes) -> None:
    """Fit the axis to the substreams; a watermark that the end markers move leaves at the top."""
    times = [time for series in panel.substreams.values() for time in series.values()]
    if times:
        margin = max(1000, (max(times) - min(times)) // 12)
        bottom, top = np.array([min(times) - margin, max(times) + margin], "datetime64[ms]")
        axis.set_ylim(bottom, top)
        axis.set_xlim(left=0)


def _name_substreams(substreams: Mapping[str, Series], axis: Axes) -> None:
    """Write the names of substreams beside their lines, one text for those that end together."""
    groups: dict[tuple[int, int], list[str]] = {}
    for name, series in substreams.items():
        last = max(series)
        groups.setdefault((last, round(series[last] / MS_PER_MINUTE)), []).append(name)
    end = max((last for last, _ in groups), default=0)
    top = max((time for _, time in groups), default=0)
    for (last, time), names in groups.items():
        text = ("substream " if len(names) == 1 else "substreams ") + ", ".join(names)
        if last < end:
            _name(substreams[names[0]], last, f"{text} falls silent", True, axis)
            axis.plot(*_points({last + 1: substreams[names[0]][last]}), "o", color="0.3")
        else:
            _name(substreams[names[0]], round(end * 0.84), text, time == top, axis)


def _name(series: Series, batch: int, text: str, above: bool, axis: Axes) -> None:
    """Write a text beside a rising line: on its left above it, or on its right below it."""
    nearest = min(series, key=lambda other: abs(other - batch))
    axis.annotate(
        text,
        (nearest + 1, np.datetime64(series[nearest], "ms")),
        xytext=(-7, 5) if above else (7, -5),
        ha="right" if above else "left",
        va="bottom" if above else "top",
        textcoords="offset points",
        fontsize=10,
        color="0.3",
    )


def _points(series: Series) -> tuple[list[int], npt.NDArray[np.datetime64]]:
    batches = sorted(series)
    return batches, np.array([series[batch] for batch in batches], "datetime64[ms]")
