"""Streams whose rows are emitted in the order of their event time."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import column_names, text
from tidegate._keywords import keywords


@keywords
def orderByEventTime(
    df: DataFrame,
    partitionBy: str | Sequence[str] | None = None,
    eventTime: str | None = None,
) -> DataFrame:
    """Emit the rows of a stream in the order of their event time.

    A row waits until the watermark passes it: from then on no earlier row is expected. Each batch
    emits its rows sorted by their time, and rows with the same time in the order in which they
    arrived. Late rows are dropped and counted. A row without a time has no place in the order: it
    is emitted at once, before the other rows of its batch. The watermark goes on to the operators
    that follow. The output mode must be append.

    Also a method of DataFrame, and usable with ``df.transform``. A batch DataFrame is sorted by the
    time: within the partitions of `partitionBy`, or as a whole. On Spark Connect it calls
    ``ORDER_BY_TIME`` in SQL, and an alias has to be set after the call.

    Parameters
    ----------
    df : DataFrame
        The stream, with a keyed watermark on the time.
    partitionBy : str or sequence of str, optional
        Columns that divide the rows: only rows with equal values are ordered among each other.
        Without it, a single task orders all rows.
    eventTime : str, optional
        The column to order by. By default the only column with a keyed watermark; in a batch
        DataFrame, the only column of type ``TIMESTAMP`` or ``TIMESTAMP_NTZ``.

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
        If a column does not exist or has the wrong type, or if the stream has no keyed watermark on
        the time, or several to choose from. When the query starts: if its output mode is not
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
