"""Checkpoints that move between Spark's watermarks and keyed ones."""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from tidegate import _jvm
from tidegate._arguments import output_mode, text
from tidegate._keywords import keywords
from tidegate._times import utc


@keywords
def adopt(
    checkpoint: str, query: DataFrame | StreamingQuery, outputMode: str | None = None
) -> datetime | None:
    """Let a query continue from a checkpoint that was made without Tidegate.

    The keyed watermarks begin where Spark's watermark was, and the state stays where it is. The old
    offset log is kept in the folder ``offsets.spark`` of the checkpoint.

    Parameters
    ----------
    checkpoint : str
        The ``checkpointLocation`` of the query, which must not be running.
    query : DataFrame or StreamingQuery
        The query, with ``withKeyedWatermark``; or with ``withWatermark``, if
        ``spark.tidegate.replaceWithWatermark`` is set. Of a StreamingQuery that was stopped, such
        as that of the job that made the checkpoint, the plan and the output mode are taken.
    outputMode : str, optional
        The output mode of a DataFrame: ``append``, which is the default, ``update`` or
        ``complete``. A StreamingQuery has its own.

    Returns
    -------
    datetime or None
        The watermark from which the query continues, in UTC; None if Spark had none yet.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If ``outputMode`` is no output mode, or if it is given with a StreamingQuery.
    MissingJarError
        If Spark runs without the Tidegate jar.
    UnsupportedSessionError
        If the query is one of Spark Connect.
    pyspark.errors.AnalysisException
        If there is no checkpoint, if it has other sources or keyed watermarks already, if its
        query is running, or if a StreamingQuery ran with keyed watermarks.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import adopt
    >>> try:
    ...     adopt(tempfile.mkdtemp(), orders.withKeyedWatermark("order_time", "5 seconds"))
    ... except Exception as error:
    ...     error.getCondition()
    'TIDEGATE_NO_CHECKPOINT'
    """
    location = text("checkpoint", checkpoint, "the folder of a checkpoint")
    mode = None if outputMode is None else output_mode(outputMode)
    if mode is not None and isinstance(query, StreamingQuery):
        raise ValueError("outputMode is for a DataFrame, and a StreamingQuery has its own.")
    return utc(_jvm.adopt(location, query, mode))


@keywords
def release(checkpoint: str) -> datetime | None:
    """Let a query without Tidegate continue from the checkpoint of a keyed query.

    Spark's watermark begins at the lowest of the keyed ones. The old offset log is kept in the
    folder ``offsets.tidegate`` of the checkpoint.

    Parameters
    ----------
    checkpoint : str
        The ``checkpointLocation`` of the query, which must not be running.

    Returns
    -------
    datetime or None
        The watermark from which the query continues, in UTC; None if there was none yet.

    Raises
    ------
    TypeError
        If the argument has the wrong type.
    MissingJarError
        If Spark runs without the Tidegate jar.
    pyspark.errors.AnalysisException
        If there is no checkpoint of a keyed query, if some of its state is not Spark's (windows
        from frames, event-time order), if its operators have names, or if its query is running.

    Examples
    --------
    >>> import tempfile
    >>> from tidegate import release
    >>> try:
    ...     release(tempfile.mkdtemp())
    ... except Exception as error:
    ...     error.getCondition()
    'TIDEGATE_NO_CHECKPOINT'
    """
    return utc(_jvm.release(text("checkpoint", checkpoint, "the folder of a checkpoint")))
