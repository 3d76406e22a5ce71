"""The picture: the rows of each window, as a batch query counts them and as the job did."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.dates import date2num
from matplotlib.figure import Figure

from tidegate.demo.adopt.verdict import Emitted
from tidegate.demo.compare import Expected
from tidegate.demo.picture import COLOURS, MS_PER_MINUTE, OWN_TIMES

TITLE = "The job before and after it was given keyed watermarks"


def draw(expected: Expected, adopted_ms: int, counted: Emitted, path: Path) -> None:
    """Write the picture as PNG: a bar for each window, and a line where the job was stopped."""
    spark, tidegate = COLOURS[:2]
    with rc_context({"date.autoformatter.minute": "%H:%M", "font.size": 11}):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        axis = figure.subplots()
        rows = [(start, count) for start, (_, count) in expected.windows.items()]
        closed = [row for row in counted if _end(expected, row[0]) <= adopted_ms]
        after = [row for row in counted if _end(expected, row[0]) > adopted_ms]
        for bars, colour, label in (
            (rows, OWN_TIMES, "rows of the window that were not counted"),
            (closed, spark, "counted, under Spark's watermark"),
            (after, tidegate, "counted, under Tidegate's"),
        ):
            starts = np.array([start for start, _ in bars], "datetime64[ms]")
            width = np.timedelta64(_width(expected), "ms")
            heights = [count for _, count in bars]
            axis.bar(starts, heights, width, align="edge", color=colour, label=label)
        adopted = date2num(np.datetime64(adopted_ms, "ms"))  # type: ignore[no-untyped-call]
        axis.axvline(adopted, color="0.2", linewidth=1.6)
        axis.annotate(
            " Spark's last watermark, where Tidegate's begins",
            (adopted, 1),
            xycoords=("data", "axes fraction"),
            va="top",
        )
        axis.set_title(TITLE, loc="left", fontsize=14, fontweight="bold")
        axis.set_xlabel("windows, by event time (UTC)")
        axis.set_ylabel("rows in a window")
        axis.set_ylim(top=axis.get_ylim()[1] * 1.08)
        axis.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside lower center", frameon=False, ncols=3)
        figure.savefig(path, dpi=100, pil_kwargs={"optimize": True})


def _end(expected: Expected, start: int) -> int:
    return expected.windows.get(start, (start, 0))[0]


def _width(expected: Expected) -> int:
    return min((end - start for start, (end, _) in expected.windows.items()), default=MS_PER_MINUTE)
