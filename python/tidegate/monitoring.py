"""The watermarks of a query: as a dict, as a DataFrame, and as a table in a notebook."""

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tidegate import _connect, _html, _jvm, figures
from tidegate._keywords import keywords
from tidegate.figures import Watermark

# The columns of the table function tidegate_watermarks, without those that name the query.
_COLUMNS = (
    "name STRING, kind STRING, key INT, event_time STRING, watermark TIMESTAMP, idle BOOLEAN, "
    "held_back_by STRING, substream STRING, substream_watermark TIMESTAMP, "
    "substream_idle BOOLEAN, future_events BIGINT, eviction_watermark TIMESTAMP, "
    "eviction_held_back_by STRING, late_rows BIGINT, partly_late_rows BIGINT, "
    "partly_late_windows BIGINT"
)


class QueryWatermarks(dict[str, Watermark]):
    """The watermarks of a query and its stateful operators by name, as :func:`watermarks` found.

    A dict, which notebooks show as a table: the slowest substreams come first, at most 20 of each
    watermark. It does not change when the query goes on; ask again for later figures.
    """

    def toDF(self, session: SparkSession | None = None) -> DataFrame:
        """Return the figures as a DataFrame.

        A keyed watermark has a row for each of its substreams, or one row as long as there is no
        substream. A stateful operator has one row. The columns are those of the table function
        ``tidegate_watermarks`` in SQL, without the three that name the query.

        Parameters
        ----------
        session : SparkSession, optional
            The session of the DataFrame. By default the active session.

        Returns
        -------
        DataFrame
            The columns are ``name``, ``kind`` (``watermark`` or ``operator``), ``key``,
            ``event_time``, ``watermark``, ``idle``, ``held_back_by``; of a keyed watermark
            ``substream``, ``substream_watermark``, ``substream_idle`` and ``future_events``; of an
            operator ``eviction_watermark``, ``eviction_held_back_by``, ``late_rows``,
            ``partly_late_rows`` and ``partly_late_windows``. What an entry does not have is
            NULL. Times are of the type TIMESTAMP.

        Raises
        ------
        pyspark.errors.PySparkRuntimeError
            If there is no active session.

        Examples
        --------
        >>> import tidegate
        >>> query = (
        ...     orders.withKeyedWatermark("order_time", "5 seconds", substream="partition")
        ...     .writeStream.format("noop").start()
        ... )
        >>> query.processAllAvailable()
        >>> table = tidegate.watermarks(query).toDF()
        >>> table.select("name", "watermark", "substream", "substream_idle").show()
        +----------+-------------------+---------+--------------+
        |      name|          watermark|substream|substream_idle|
        +----------+-------------------+---------+--------------+
        |order_time|2026-01-01 00:00:55|        0|         false|
        +----------+-------------------+---------+--------------+
        <BLANKLINE>
        >>> query.stop()
        """
        rows = [row for name, status in self.items() for row in _rows(name, status)]
        return (session or SparkSession.active()).createDataFrame(rows, _COLUMNS)

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        return _html.table(self)


@keywords
def watermarks(query: StreamingQuery) -> QueryWatermarks:
    """Return the keyed watermarks and the stateful operators of a query, by name.

    The figures are those of the last trigger; for a query that has ended, the last ones. On Spark
    Connect the server remembers the last 100 runs with keyed watermarks that have ended.

    In SQL the same is ``SELECT * FROM tidegate_watermarks('orders')``, with the name or the id of
    a query, or without an argument for all queries of the session that run.

    Parameters
    ----------
    query : StreamingQuery
        The query, as ``start()`` returns it.

    Returns
    -------
    QueryWatermarks
        A dict of str to :class:`Watermark`, with a method ``toDF``. Keyed watermarks, whose
        ``kind`` is ``"watermark"``, stand under the name that they were given, and stateful
        operators, whose kind is ``"operator"``, under names such as ``"aggregate"``. A join
        has one entry for each side, ``"join.left"`` and ``"join.right"``. Both kinds have a
        ``key``, a ``watermark`` (a datetime in UTC, or ``None`` before there is one), whether they
        are ``idle``, the ``eventTime`` column, and ``heldBackBy``, the name of what they wait for.

        A keyed watermark waits for the substream with the lowest watermark; for ``None`` if all
        are idle. It also has the number of ``futureEvents`` since the query was started, and the
        ``watermark`` and ``idle`` of each of its ``substreams``.

        An operator waits for its lowest keyed watermark. It also has ``lateRows``, the number of
        rows that it dropped as late since the query was started, ``partlyLateRows``, the number of
        those that came too late for some of their sliding or growing windows and are in the
        others, ``partlyLateWindows``, how many windows these rows miss, the ``evictionWatermark``
        (a datetime or ``None``), below which rows have left its state, and ``evictionHeldBackBy``,
        the keyed watermark that the eviction waits for. In a join, the state of one side waits for
        the watermark of the other side; the value is ``None`` if rows stay in the state for ever.

        For a type checker the two kinds are :class:`KeyedWatermark` and
        :class:`OperatorWatermark`; ``if status["kind"] == "operator":`` tells which one it is.

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
    ...     .dropDuplicates(["order_id", "order_time"])
    ...     .writeStream.format("noop").start()
    ... )
    >>> query.processAllAvailable()
    >>> tidegate.watermarks(query)["orders"]["watermark"]
    datetime.datetime(2026, 1, 1, 0, 0, 55, tzinfo=datetime.timezone.utc)
    >>> tidegate.watermarks(query)["deduplicate"]["heldBackBy"]
    'orders'
    >>> query.stop()
    """
    if _connect.is_connect(query):
        return QueryWatermarks(figures.watermarks_of_rows(_connect.watermarks(query)))
    java_query = _jvm.java_query(query)
    return QueryWatermarks(figures.watermarks(json.loads(_jvm.facade().watermarks(java_query))))


def _rows(name: str, status: Watermark) -> Iterator[tuple[Any, ...]]:
    """Return the rows of one entry, in the order of the columns."""
    node = (
        name,
        status["kind"],
        status["key"],
        status["eventTime"],
        status["watermark"],
        status["idle"],
        status["heldBackBy"],
    )
    if status["kind"] == "operator":
        eviction = (status["evictionWatermark"], status["evictionHeldBackBy"])
        late = (status["lateRows"], status["partlyLateRows"], status["partlyLateWindows"])
        yield (*node, None, None, None, None, *eviction, *late)
    else:
        substreams: list[tuple[Any, ...]] = [
            (substream, own["watermark"], own["idle"])
            for substream, own in status["substreams"].items()
        ]
        for substream in substreams or [(None, None, None)]:
            yield (*node, *substream, status["futureEvents"], *[None] * 5)
