"""Streams whose rows leave in the order of their event time."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import column_names, text


def orderByEventTime(
    df: DataFrame,
    partitionBy: str | Sequence[str] | None = None,
    eventTime: str | None = None,
) -> DataFrame:
    """Put the rows of a stream out in the order of their event time.

    A row waits until the watermark has passed it, which is when no row can come any more that
    belongs before it; then it leaves, and the rows that leave in one batch are sorted by their
    time. Rows of one time leave in the order in which they arrived. Late rows are dropped and
    counted. A row without a time has no place in the order: it passes at once, before the others
    of its batch. The watermark goes on to the operators behind it. It works in output mode append.

    Also a method of DataFrame, and usable with ``df.transform``. A batch DataFrame is sorted by the
    time: within the partitions of `partitionBy`, or as a whole. On Spark Connect it calls
    ``ORDER_BY_TIME`` in SQL, and an alias has to be set after the call.

    Parameters
    ----------
    df : DataFrame
        The stream, with a keyed watermark on the time.
    partitionBy : str or sequence of str, optional
        Columns: rows whose values are equal leave in order. Without it all rows do, for which a
        single task has to see them all.
    eventTime : str, optional
        The column to order by. By default the only one with a keyed watermark; of a batch DataFrame
        the only one of type ``TIMESTAMP`` or ``TIMESTAMP_NTZ``.

    Returns
    -------
    DataFrame
        The same rows with the same columns.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    pyspark.errors.AnalysisException
        If a column does not exist or has the wrong type, if the stream has no keyed watermark on
        the time or more than one to choose from; when the query starts, if its output mode is not
        append.

    Examples
    --------
    >>> watched = orders.withKeyedWatermark("order_time", "5 seconds", substream="partition")
    >>> watched.orderByEventTime(partitionBy=["partition"]).columns
    ['order_id', 'order_time', 'partition']

    As a function, with the time named:

    >>> from tidegate import orderByEventTime
    >>> watched.transform(orderByEventTime, "partition", eventTime="order_time").isStreaming
    True
    """
    columns = column_names("partitionBy", partitionBy)
    time = None if eventTime is None else text("eventTime", eventTime, "the name of a column")
    if _connect.is_connect(df):
        return _connect.order_by_event_time(df, columns, time)
    return _jvm.order_by_event_time(df, columns, time)
