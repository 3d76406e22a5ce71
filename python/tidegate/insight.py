"""What batches did to the time of a query, and what holds time back, in sentences."""

import json
import sys
from abc import abstractmethod

from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)
from pyspark.sql.streaming.query import StreamingQuery

from tidegate import _connect, _html, _jvm, figures
from tidegate._arguments import wrong_type
from tidegate._keywords import keywords
from tidegate.figures import BatchProgress

# The source that the clock of a query is, and its metric with the figures of a batch.
_CLOCK = "tidegate_clock"
_METRIC = "time"

# The most that an int of Java can be.
_ALL = 2**31 - 1


@keywords
def progress(query: StreamingQuery, last: int | None = None) -> list[BatchProgress]:
    """Return what the last batches of a query did to time, the oldest first.

    The driver remembers the last 1,000 batches of a run, or as many as
    ``spark.tidegate.progress.batches`` says. For a query that has ended, they are its last ones; on
    Spark Connect the server then remembers 100.

    In SQL the same is ``SELECT * FROM tidegate_progress('orders', 10)``.

    Parameters
    ----------
    query : StreamingQuery
        The query, as ``start()`` returns it.
    last : int, optional
        Of so many batches at most. By default of all that are remembered.

    Returns
    -------
    list of BatchProgress
        Each with its ``batchId``, the ``wallClock`` when the batch had ended, the ``batchTime``
        when it was put together, its ``inputRows``, and ``watermarks`` and ``operators`` by name.
        Times are in UTC.

        A watermark has its ``key``, its value as ``watermark`` (``None`` before there is one),
        ``lagMs``, how far it was behind the wall clock, and ``idle``, whether all of its substreams
        were idle. ``heldBackBy`` is the substream that it waited for, ``heldBackSince`` the wall
        clock since when (at the earliest the start of the query), and ``heldBackMs`` how far this
        substream was behind the newest. ``activeSubstreams``, ``idleSubstreams`` and
        ``unreadSubstreams`` are numbers; the last are those with rows to be read, where the source
        tells. ``movedAt`` is the wall clock when time last moved. ``futureEvents`` are the rows of
        the batch beyond ``maxFutureSkew``, ``futureEventsTotal`` those since the query was started.

        An operator has its ``key``, ``watermark``, ``idle``, ``heldBackBy``,
        ``evictionWatermark`` and ``evictionHeldBackBy`` as :func:`watermarks` has them,
        ``lateRows`` of the batch, and ``lateRowsTotal`` since the query was started; likewise
        ``partlyLateRows``, which came too late for some of their windows, and
        ``partlyLateWindows``, how many windows these rows miss.
        ``stateRows`` and ``stateBytes`` are the size of its state, which the sides of a join have
        together, and ``nextWindowEnd`` is the end of the next window that will be closed, if the
        operator makes its windows from frames.

    Raises
    ------
    TypeError
        If `query` is not a streaming query, or `last` not a whole number.
    ValueError
        If `last` is below 1.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    pyspark.errors.AnalysisException
        If the query has no keyed watermark, or ended before Spark had planned it; on Spark Connect
        also if the server does not remember the query.

    Examples
    --------
    >>> import tidegate
    >>> query = (
    ...     orders.withKeyedWatermark("order_time", "5 seconds", name="orders")
    ...     .writeStream.format("noop").start()
    ... )
    >>> query.processAllAvailable()
    >>> batch, = tidegate.progress(query, last=1)
    >>> batch["batchId"], batch["watermarks"]["orders"]["futureEvents"]
    (0, 0)
    >>> query.stop()
    """
    number = _number(last)
    if _connect.is_connect(query):
        return figures.batches_of_rows(_connect.progress(query, number))
    java_query = _jvm.java_query(query)
    text = _jvm.facade().progress(java_query, number)
    return [figures.batch(batch) for batch in json.loads(text)]


@keywords
def progressOf(progress: StreamingQueryProgress) -> BatchProgress | None:
    """Return what a batch did to time, from the progress that Spark tells of it.

    The progress is that of a listener, or one of ``query.recentProgress``, on classic PySpark and
    on Spark Connect alike: all is in it, and nobody is asked.

    Parameters
    ----------
    progress : StreamingQueryProgress
        The progress of a batch.

    Returns
    -------
    BatchProgress or None
        As :func:`progress` has it. ``None`` for a query without keyed watermarks, and for a
        trigger without a batch.

    Raises
    ------
    TypeError
        If `progress` is something else.

    Examples
    --------
    >>> import tidegate
    >>> query = (
    ...     orders.withKeyedWatermark("order_time", "5 seconds", name="orders")
    ...     .writeStream.format("noop").start()
    ... )
    >>> query.processAllAvailable()
    >>> batches = [tidegate.progressOf(progress) for progress in query.recentProgress]
    >>> [batch["batchId"] for batch in batches if batch]
    [0]
    >>> query.stop()
    """
    if not isinstance(progress, StreamingQueryProgress):
        wanted = "a pyspark.sql.streaming.StreamingQueryProgress"
        raise wrong_type("progress", wanted, progress)
    for source in progress.sources:
        if source.description == _CLOCK:
            text = (source.metrics or {}).get(_METRIC)
            return None if text is None else figures.batch(json.loads(text))
    return None


class ProgressListener(StreamingQueryListener):
    """A listener that is told what each batch of each query with keyed watermarks did to time.

    Override ``onBatch``, and add the listener with ``spark.streams.addListener``. Queries
    without keyed watermarks, and triggers without a batch, are left out. The other methods of
    Spark's listener can be overridden too; ``onQueryProgress`` calls ``onBatch``.
    """

    @abstractmethod
    def onBatch(self, progress: StreamingQueryProgress, batch: BatchProgress) -> None:
        """Take in a batch that has ended.

        Parameters
        ----------
        progress : StreamingQueryProgress
            What Spark says of the batch, with the ``name`` and the ``id`` of the query.
        batch : BatchProgress
            What the batch did to time.
        """

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Call ``onBatch`` if the progress is that of a batch with keyed watermarks."""
        batch = progressOf(event.progress)
        if batch is not None:
            self.onBatch(event.progress, batch)

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Do nothing."""

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Do nothing."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Do nothing."""


class TimeExplanation(str):
    """Sentences about the time of a query, as :func:`explainTime` found: a text with its lines.

    Python's shell shows the lines, and a notebook shows paragraphs.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the lines."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return paragraphs for a notebook."""
        return _html.paragraphs(self)


@keywords
def explainTime(query: StreamingQuery) -> TimeExplanation:
    """Print and return how far the time of a query is, what holds what back, and what would help.

    Python's shell and notebooks show the value of a line themselves, so nothing is printed there:
    within a loop of a notebook, write ``print(tidegate.explainTime(query))``.

    In SQL the same is ``SELECT sentence FROM tidegate_explain_time('orders')``.

    Parameters
    ----------
    query : StreamingQuery
        The query, running or ended, as ``start()`` returns it.

    Returns
    -------
    TimeExplanation
        A str of some lines, without a line break at their end; in a notebook, paragraphs.

    Raises
    ------
    TypeError
        If `query` is not a streaming query.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    pyspark.errors.AnalysisException
        If the query has no keyed watermark, or ended before Spark had planned it; on Spark Connect
        also if the server does not remember the query.

    Examples
    --------
    >>> import tidegate
    >>> query = (
    ...     orders.withKeyedWatermark("order_time", "5 seconds", name="orders")
    ...     .writeStream.queryName("hourly").format("noop").start()
    ... )
    >>> query.processAllAvailable()
    >>> text = tidegate.explainTime(query)  # doctest: +ELLIPSIS
    The query `hourly` runs; it is ...
    <BLANKLINE>
    `orders` is at 2026-01-01T00:00:55Z, ... behind the wall clock.
    Nothing holds `orders` back: its last row came ...
    >>> "Nothing holds `orders` back" in text
    True
    >>> query.stop()
    """
    if _connect.is_connect(query):
        explanation = TimeExplanation(_connect.explain_time(query))
    else:
        java_query = _jvm.java_query(query)
        explanation = TimeExplanation(_jvm.facade().explainTime(java_query))
    if not hasattr(sys, "ps1"):
        print(explanation)
    return explanation


def _number(last: int | None) -> int:
    if last is None:
        return _ALL
    if not isinstance(last, int) or isinstance(last, bool):
        raise wrong_type("last", "an int or None", last)
    if last < 1:
        raise ValueError(f"last must be at least 1, found {last}.")
    return min(last, _ALL)
