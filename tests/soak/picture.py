"""The picture: what was measured over the run, with marks for what happened."""

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from soak.events import Happened
from soak.flatness import Value
from soak.samples import Sample
from soak.schedule import ADD, KILL, RESTART

COLOURS = {"counts": "#00798c", "pairs": "#b07d12"}
MARKS = {KILL: ("#c8384f", "-"), RESTART: ("#5b4b8a", "--"), ADD: ("#4c8c5f", ":")}
PANELS: tuple[tuple[str, Value], ...] = (
    ("watermark behind\nthe wall clock, s", lambda s: s.lag_ms and s.lag_ms / 1000),
    ("heap after\na collection, MB", lambda s: s.heap_bytes and s.heap_bytes / 1e6),
    ("rows in the state", lambda s: s.state_rows),
    ("bytes of an offset", lambda s: s.offset_bytes),
    ("time of a batch, ms", lambda s: s.batch_ms),
)
HEAP = 1


def draw(samples: list[Sample], events: list[Happened], start: float, path: Path) -> None:
    """Write the picture as PNG, one panel for each measure."""
    with rc_context({"font.size": 10}):
        figure = Figure(figsize=(11, 2.2 * len(PANELS)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(PANELS), 1, sharex=True)
        for number, (axis, (name, value)) in enumerate(zip(axes, PANELS, strict=True)):
            _draw_panel(axis, name, value, samples, start, one_line=number == HEAP)
            _mark(axis, events, start)
        axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, 1.35), ncol=6, frameon=False)
        axes[-1].set_xlabel("minutes")
        figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})


def _draw_panel(
    axis: Axes, name: str, value: Value, samples: list[Sample], start: float, one_line: bool
) -> None:
    for query, colour in COLOURS.items():
        points = [
            (_minutes(sample.time, start), known)
            for sample in samples
            if (one_line or sample.query == query) and (known := value(sample)) is not None
        ]
        if points:
            axis.plot(*zip(*points, strict=True), color=colour, linewidth=1.4, label=query)
        if one_line:
            break
    axis.set_ylabel(name)
    axis.set_ylim(bottom=0)
    axis.grid(color="0.93")
    axis.spines[["top", "right"]].set_visible(False)


def _mark(axis: Axes, events: list[Happened], start: float) -> None:
    shown = set()
    for event in events:
        if event.kind in MARKS:
            colour, style = MARKS[event.kind]
            label = f"_{event.kind}" if event.kind in shown else event.kind
            shown.add(event.kind)
            at = _minutes(event.time, start)
            axis.axvline(at, color=colour, linestyle=style, linewidth=0.9, label=label)


def _minutes(time: float, start: float) -> float:
    return (time - start) / 60
