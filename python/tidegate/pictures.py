"""The watermarks of a query as a picture, for a notebook."""

from datetime import datetime
from typing import TYPE_CHECKING

from pyspark.sql.streaming.query import StreamingQuery

from tidegate._arguments import wrong_type
from tidegate._keywords import keywords
from tidegate.figures import BatchProgress
from tidegate.insight import progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@keywords
def plot(query: StreamingQuery, last: int | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the watermarks of a query over its last batches: event time over the wall clock.

    It is the picture of the tab *Event time* in Spark's UI, for those who have no UI. Each
    watermark is a line that rises when a batch has moved it, and the grey line is the wall clock
    itself: the distance to it is how far a watermark is behind. Needs matplotlib:
    ``pip install "tidegate[plot]"``.

    Parameters
    ----------
    query : StreamingQuery
        The query, running or ended, as ``start()`` returns it.
    last : int, optional
        Of so many batches at most. By default of all that are remembered, as :func:`progress` says.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default in a figure of its own.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn, for a title or a limit of your own; a notebook shows its figure. Without a
        watermark it says so.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError, ValueError, MissingJarError, MissingExtensionError, pyspark.errors.AnalysisException
        As :func:`progress`.

    Examples
    --------
    >>> import tidegate
    >>> query = (
    ...     orders.withKeyedWatermark("order_time", "5 seconds", name="orders")
    ...     .writeStream.queryName("drawn").format("noop").start()
    ... )
    >>> query.processAllAvailable()
    >>> axes = tidegate.plot(query)
    >>> axes.get_title()
    'drawn'
    >>> query.stop()
    """
    batches = progress(query, last)
    axes = _axes(ax)
    axes.set_title(query.name or query.id)
    axes.set_xlabel("wall clock (UTC)")
    axes.set_ylabel("event time (UTC)")
    names = sorted({name for batch in batches for name in batch["watermarks"]})
    lines = [name for name in names if _draw(axes, name, batches)]
    if not lines:
        text = "No batch with a watermark has ended yet."
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")
        return axes
    clock = [batch["wallClock"] for batch in batches]
    low, high = axes.get_ylim()
    axes.plot(
        clock,  # type: ignore[arg-type]
        clock,  # type: ignore[arg-type]
        color="0.6",
        linestyle="--",
        linewidth=1,
        label="the wall clock",
    )
    # Old events must not become a flat line below a clock that is years ahead.
    axes.set_ylim(low, high)
    axes.tick_params(axis="x", rotation=30)
    axes.legend()
    return axes


def _axes(ax: "Axes | None") -> "Axes":
    try:
        from matplotlib import pyplot
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError(
            "tidegate.plot needs matplotlib, which is not installed. Run: pip install "
            '"tidegate[plot]"'
        ) from error
    if ax is None:
        return pyplot.subplots(figsize=(9, 4), layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise wrong_type("ax", "matplotlib axes", ax)
    return ax


def _draw(axes: "Axes", name: str, batches: list[BatchProgress]) -> bool:
    """Draw one watermark, with what is behind it now; False if it has no value yet."""
    clock: list[datetime] = []
    times: list[datetime] = []
    held = None
    for batch in batches:
        watermark = batch["watermarks"].get(name)
        if watermark is not None:
            held = watermark["heldBackBy"]
            value = watermark["watermark"]
            # The end of time is no place in a picture.
            if value is not None and value.year < datetime.max.year:
                clock.append(batch["wallClock"])
                times.append(value)
    label = name if held is None else f"{name}, waits for {held}"
    if times:
        # A watermark stays where it is until the next batch.
        axes.step(clock, times, where="post", label=label)  # type: ignore[arg-type]
    return bool(times)
