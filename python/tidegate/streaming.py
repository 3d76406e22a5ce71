"""Keyed watermarks on streaming DataFrames."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import (
    Described,
    Duration,
    boolean,
    column_names,
    duration,
    text,
    watermark_key,
    wrong_type,
)
from tidegate._defaults import IDLE_TIMEOUT, INGESTION_TIME, KEY, MAX_IDLE_LAG
from tidegate._keywords import keywords
from tidegate.policies import EMISSIONS, POLICIES, Emission, Policy, fixedLag


@keywords
def withKeyedWatermark(
    df: DataFrame,
    eventTime: str,
    lag: Duration | None = None,
    key: int = KEY,
    *,
    policy: Policy | None = None,
    substream: str | Sequence[str] | None = None,
    idleTimeout: Duration | None = IDLE_TIMEOUT,
    emission: Emission | None = None,
    name: str | None = None,
    maxFutureSkew: Duration | None = None,
    flush: bool = False,
    idleBehind: Duration | None = None,
    lateRows: str | None = None,
    allowedLateness: Duration | None = None,
) -> DataFrame:
    """Give an event-time column a watermark of its own.

    The watermark is the minimum over the substreams that are not idle, so a substream that lags
    behind loses no rows, and one that falls silent holds nothing back for long. A row is late, and
    dropped by the next stateful operator, if its time is below the watermark.

    Also a method of DataFrame, and usable with ``df.transform``. On a batch DataFrame it changes
    nothing. On Spark Connect it calls ``IMPOSE_ORDER`` in SQL: errors name the arguments of that
    function, such as ``idle_timeout``, and an alias has to be set after the call.

    Parameters
    ----------
    df : DataFrame
        The stream.
    eventTime : str
        Name of the event-time column, of type ``TIMESTAMP`` or ``TIMESTAMP_NTZ``.
    lag : str or datetime.timedelta, optional
        Event time by which a row may trail the newest row of its substream; short for
        ``policy=fixedLag(lag)``. Give exactly one of `lag` and `policy`.
    key : int, default 0
        The watermark key, from 0 to 127. Streams with the same key share one notion of time.
    policy : Policy, optional
        How the watermark follows the rows and the wall clock, such as
        ``limitingLagAndLull("5 seconds", "1 minute")``.
    substream : str or sequence of str, optional
        Columns that name the independent, roughly ordered parts of the stream, such as
        ``["topic", "partition"]``. Without it the stream is one substream.
    idleTimeout : str, datetime.timedelta or None, default "60 seconds"
        Wall-clock time without rows after which a substream is left out; ``None`` for never. Rows
        that wait to be read are not silence.
    emission : Emission, optional
        Which advances become visible, such as ``byFrame("1 second")``. By default those that can
        close a window downstream, or one every second where there are no windows.
    name : str, optional
        Name of the watermark in :func:`watermarks` and in messages.
    maxFutureSkew : str or datetime.timedelta, optional
        A time further ahead of the wall clock than this does not move the watermark. By default
        there is no limit.
    flush : bool, default False
        Whether a run with ``trigger(availableNow=True)`` ends time: all windows close and the state
        becomes empty. Rows that come in a later run on the same checkpoint are late.
    idleBehind : str, datetime.timedelta or None, default None
        Wall-clock time without rows after which a substream is left out that is behind the highest
        watermark: its next rows would be late. Below `idleTimeout` it has no effect; ``None`` for
        as long as `idleTimeout`.
    lateRows : str, optional
        The name of a table, which the query makes, or a folder (with a ``/``), to which the rows
        that operators drop as late are written as Parquet files: each whole, with the operator, how
        late it was, its substream and its batch. By default late rows are only counted.
    allowedLateness : str or datetime.timedelta, optional
        Event time by which aggregations by windows take rows longer than the watermark says, in
        output mode ``update``: each late row in this time puts out a corrected row of its window.
        By default no longer.

    Returns
    -------
    DataFrame
        The same rows; `eventTime` carries the watermark.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `key` is out of range, or not exactly one of `lag` and `policy` is given.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    pyspark.errors.AnalysisException
        If a column or a duration is not usable.

    Examples
    --------
    >>> late_allowed = orders.withKeyedWatermark(
    ...     "order_time", "5 seconds", substream="partition", name="orders")
    >>> late_allowed.groupBy("order_time").count().isStreaming
    True

    As a function, with a policy:

    >>> from tidegate import limitingLagAndLull, withKeyedWatermark
    >>> orders.transform(
    ...     withKeyedWatermark, "order_time", policy=limitingLagAndLull("5 seconds", "1 minute")
    ... ).columns
    ['order_id', 'order_time', 'partition']
    """
    arguments = (
        text("eventTime", eventTime, "the name of a column"),
        watermark_key(key),
        _described(_policy(lag, policy)),
        column_names("substream", substream),
        _optional_duration("idleTimeout", idleTimeout),
        _described(_emission(emission)),
        None if name is None else text("name", name, "a name"),
        _optional_duration("maxFutureSkew", maxFutureSkew),
        boolean("flush", flush),
        _optional_duration("idleBehind", idleBehind),
        None if lateRows is None else text("lateRows", lateRows, "a table or a folder"),
        _optional_duration("allowedLateness", allowedLateness),
    )
    if _connect.is_connect(df):
        return _connect.with_keyed_watermark(df, *arguments)
    return _jvm.with_keyed_watermark(df, *arguments)


@keywords
def withIngestionWatermark(
    df: DataFrame,
    eventTime: str,
    maxEventTimeLag: Duration,
    ingestionTime: str = INGESTION_TIME,
    substream: str | Sequence[str] | None = None,
    *,
    maxIdleLag: Duration = MAX_IDLE_LAG,
    key: int = KEY,
    emission: Emission | None = None,
    name: str | None = None,
    flush: bool = False,
) -> DataFrame:
    """Give an event-time column a watermark that follows the times at which rows were appended.

    For sources that record append times, as Kafka does for topics with
    ``message.timestamp.type=LogAppendTime``. After a row that was appended at ``t``, a substream
    has only rows that were appended at ``t`` or later. The watermark is the minimum of ``t`` - 1 ms
    - `maxEventTimeLag` over all substreams: no row is late if its event time is at most
    `maxEventTimeLag` older than its append time. No substream is ever idle: a substream that is
    read to its end advances with the wall clock, `maxIdleLag` behind it.

    Also a method of DataFrame, and usable with ``df.transform``. On a batch DataFrame it changes
    nothing. On Spark Connect it calls ``IMPOSE_ORDER`` in SQL.

    Parameters
    ----------
    df : DataFrame
        The stream.
    eventTime : str
        Name of the event-time column, of type ``TIMESTAMP`` or ``TIMESTAMP_NTZ``.
    maxEventTimeLag : str or datetime.timedelta
        How much older than its append time the event time of a row may be.
    ingestionTime : str, default "timestamp"
        Name of the column with the append times.
    substream : str or sequence of str, optional
        Columns that name the parts in which append times ascend, such as
        ``["topic", "partition"]``. Without it the stream is one substream.
    maxIdleLag : str or datetime.timedelta, default "10 seconds"
        How far a substream that is read to its end stays behind the wall clock.
    key : int, default 0
        The watermark key, from 0 to 127.
    emission : Emission, optional
        Which advances become visible; as in :func:`withKeyedWatermark`.
    name : str, optional
        Name of the watermark in :func:`watermarks` and in messages.
    flush : bool, default False
        As in :func:`withKeyedWatermark`.

    Returns
    -------
    DataFrame
        The same rows; `eventTime` carries the watermark.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `key` is out of range.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    pyspark.errors.AnalysisException
        If a column or a duration is not usable. A running query fails if the timestamps of a Kafka
        topic are not append times.

    Examples
    --------
    >>> orders.withIngestionWatermark(
    ...     "order_time", "1 minute", "order_time", "partition").isStreaming
    True
    """
    arguments = (
        text("eventTime", eventTime, "the name of a column"),
        duration("maxEventTimeLag", maxEventTimeLag),
        text("ingestionTime", ingestionTime, "the name of a column"),
        column_names("substream", substream),
        duration("maxIdleLag", maxIdleLag),
        watermark_key(key),
        _described(_emission(emission)),
        None if name is None else text("name", name, "a name"),
        boolean("flush", flush),
    )
    if _connect.is_connect(df):
        return _connect.with_ingestion_watermark(df, *arguments)
    return _jvm.with_ingestion_watermark(df, *arguments)


def _policy(lag: Any, policy: Any) -> Policy:
    chosen = _lag_or_policy(lag, policy)
    _check_described("policy", chosen, POLICIES)
    return chosen


def _lag_or_policy(lag: Any, policy: Any) -> Policy:
    if lag is not None and policy is not None:
        raise ValueError(
            "withKeyedWatermark takes exactly one of lag and policy, found both: "
            f"lag={lag!r}, policy={policy!r}."
        )
    if lag is not None:
        return fixedLag(lag)
    if policy is None:
        raise ValueError(
            "withKeyedWatermark takes exactly one of lag and policy, found neither. Add a lag "
            "such as '5 seconds'."
        )
    if not isinstance(policy, Policy):
        raise wrong_type("policy", "a policy such as fixedLag('5 seconds')", policy)
    return policy


def _emission(emission: Any) -> Emission | None:
    if emission is not None and not isinstance(emission, Emission):
        raise wrong_type("emission", "an emission such as byFrame('1 second')", emission)
    if emission is not None:
        _check_described("emission", emission, EMISSIONS)
    return emission


def _check_described(argument: str, value: Policy | Emission, names: Sequence[str]) -> None:
    """Refuse a name that is more than one word: on Spark Connect it is a part of a SQL statement.

    A word that is not known is refused where it is looked up, as a condition.
    """
    name = value.name
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
        raise ValueError(f"{argument} must be one of {', '.join(names)}, found {value.name!r}.")
    if not isinstance(value.arguments, tuple):
        raise wrong_type(f"arguments of {argument}", "a tuple of interval strings", value.arguments)
    for interval in value.arguments:
        text(f"an argument of {argument}", interval, "an interval")


def _described(described: Policy | Emission | None) -> Described:
    return (None, []) if described is None else (described.name, list(described.arguments))


def _optional_duration(argument: str, value: Any) -> str | None:
    return None if value is None else duration(argument, value)
