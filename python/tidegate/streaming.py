"""Keyed watermarks on streaming DataFrames."""

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import (
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
    return _watermark(
        df,
        eventTime,
        key=key,
        policy=_lag_or_policy(lag, policy),
        substream=substream,
        idleTimeout=idleTimeout,
        emission=emission,
        name=name,
        maxFutureSkew=maxFutureSkew,
        flush=flush,
        idleBehind=idleBehind,
        lateRows=lateRows,
        allowedLateness=allowedLateness,
    )


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
    maxFutureSkew: Duration | None = None,
    idleTimeout: Duration | None = None,
    idleBehind: Duration | None = None,
    lateRows: str | None = None,
    allowedLateness: Duration | None = None,
) -> DataFrame:
    """Give an event-time column a watermark that follows the times at which rows were appended.

    For sources that record append times, as Kafka does for topics with
    ``message.timestamp.type=LogAppendTime``. After a row that was appended at ``t``, a substream
    has only rows that were appended at ``t`` or later. The watermark is the minimum of ``t`` - 1 ms
    - `maxEventTimeLag` over all substreams: no row is late if its event time is at most
    `maxEventTimeLag` older than its append time. No substream has to be idle: a substream that is
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
    maxFutureSkew : str or datetime.timedelta, optional
        An append time further ahead of the wall clock than this does not move the watermark. By
        default there is no limit.
    idleTimeout : str, datetime.timedelta or None, default None
        Wall-clock time without rows after which a substream is left out; ``None`` for never. Rows
        of a substream that was left out may be late.
    idleBehind : str, datetime.timedelta or None, default None
        The same for a substream that is behind the highest watermark. Below `idleTimeout` it has no
        effect; without an `idleTimeout` it is the `idleTimeout` as well.
    lateRows : str, optional
        As in :func:`withKeyedWatermark`.
    allowedLateness : str or datetime.timedelta, optional
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
    return _watermark(
        df,
        eventTime,
        key=key,
        maxEventTimeLag=maxEventTimeLag,
        ingestionTime=ingestionTime,
        substream=substream,
        maxIdleLag=maxIdleLag,
        idleTimeout=idleTimeout,
        emission=emission,
        name=name,
        maxFutureSkew=maxFutureSkew,
        flush=flush,
        idleBehind=idleBehind,
        lateRows=lateRows,
        allowedLateness=allowedLateness,
    )


def _watermark(df: DataFrame, event_time: Any, **arguments: Any) -> DataFrame:
    """Check the types of arguments, and send those that are given to the session of `df`."""
    time = text("eventTime", event_time, "the name of a column")
    checked = {name: CHECKS[name](name, value) for name, value in arguments.items()}
    # None is a value of one argument alone: a substream is never idle.
    given = {n: v for n, v in checked.items() if n == "idleTimeout" or v not in (None, [])}
    if _connect.is_connect(df):
        return _connect.with_watermark(df, time, given)
    return _jvm.with_watermark(df, time, given)


def _lag_or_policy(lag: Any, policy: Any) -> Any:
    if lag is not None and policy is not None:
        raise ValueError(
            "withKeyedWatermark takes exactly one of lag and policy, found both: "
            f"lag={lag!r}, policy={policy!r}."
        )
    if lag is None and policy is None:
        raise ValueError(
            "withKeyedWatermark takes exactly one of lag and policy, found neither. Add a lag "
            "such as '5 seconds'."
        )
    return policy if lag is None else fixedLag(lag)


def _described(
    kind: type[Policy] | type[Emission], example: str, names: Sequence[str]
) -> Callable[[str, Any], list[str]]:
    """Return a check of a policy or an emission, which becomes a list of its name and durations.

    A name that is more than one word is refused: on Spark Connect it is a part of a SQL statement.
    A word that is not known is refused where it is looked up, as a condition.
    """

    def checked(argument: str, value: Any) -> list[str]:
        if not isinstance(value, kind):
            raise wrong_type(argument, example, value)
        name = value.name
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
            raise ValueError(f"{argument} must be one of {', '.join(names)}, found {name!r}.")
        if not isinstance(value.arguments, tuple):
            wanted = "a tuple of interval strings"
            raise wrong_type(f"arguments of {argument}", wanted, value.arguments)
        return [
            name,
            *(text(f"an argument of {argument}", d, "an interval") for d in value.arguments),
        ]

    return checked


def _optional(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda argument, value: None if value is None else check(argument, value)


def _text(what: str) -> Callable[[str, Any], str]:
    return lambda argument, value: text(argument, value, what)


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "key": watermark_key,
    "policy": _described(Policy, "a policy such as fixedLag('5 seconds')", POLICIES),
    "maxEventTimeLag": duration,
    "ingestionTime": _text("the name of a column"),
    "substream": column_names,
    "maxIdleLag": duration,
    "idleTimeout": _optional(duration),
    "emission": _optional(
        _described(Emission, "an emission such as byFrame('1 second')", EMISSIONS)
    ),
    "name": _optional(_text("a name")),
    "maxFutureSkew": _optional(duration),
    "flush": boolean,
    "idleBehind": _optional(duration),
    "lateRows": _optional(_text("a table or a folder")),
    "allowedLateness": _optional(duration),
}
"""The check of each argument, which returns what is sent."""
