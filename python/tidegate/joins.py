"""Joins of two streams, each on a keyed watermark of its own."""

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any, Literal, TypeAlias

from pyspark.sql import Column, DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import Duration, duration, text, wrong_type
from tidegate._keywords import keywords

On: TypeAlias = str | Column | Sequence[str] | Sequence[Column]
"""Names of columns that both sides have, or conditions that must all hold."""

Between: TypeAlias = tuple[str, str, Duration, Duration]
"""Two time columns and two durations: ``base + lower <= time <= base + upper``."""

How: TypeAlias = Literal[
    "inner",
    "outer",
    "full",
    "fullouter",
    "full_outer",
    "fullOuter",
    "left",
    "leftouter",
    "left_outer",
    "leftOuter",
    "right",
    "rightouter",
    "right_outer",
    "rightOuter",
    "semi",
    "leftsemi",
    "left_semi",
    "leftSemi",
    "anti",
    "leftanti",
    "left_anti",
    "leftAnti",
    "cross",
]
"""The types of joins, in the spellings of ``DataFrame.join``."""

_ON = "the name of a column (a str), a condition (a Column) or a sequence of either"
_BETWEEN = "(time, base, lower, upper)"
_EXAMPLE = "('delivery_time', 'order_time', '0 seconds', '10 minutes')"


@keywords
def streamJoin(
    left: DataFrame,
    right: DataFrame,
    on: On,
    how: How = "inner",
    between: Between | None = None,
) -> DataFrame:
    """Join two streams, each on its own watermark.

    Each side drops the rows that are late by its own watermark, so the side that is ahead makes no
    rows of the other side late. The bounds in `between` and the watermark of the other side tell
    which rows of a side can no longer find a match. Such rows leave the state; an outer join emits
    those that never had a match at that moment. Both time columns keep their watermarks after the
    join, held back by the rows that the state may still emit.

    Also a method of DataFrame, and usable with ``df.transform``. On batch DataFrames it is a plain
    join with the bounds as a condition. On Spark Connect the bounds are added in SQL.

    Parameters
    ----------
    left : DataFrame
        The stream on the left, with a keyed watermark on its time column.
    right : DataFrame
        The stream on the right, with a keyed watermark on its time column. Give it a key of its
        own, such as ``withKeyedWatermark(..., key=1)``: the same key on both sides is for time
        columns of the same name, and for a stream that is joined with itself.
    on : str, Column or sequence of either
        Names of columns that must be equal, and that the result has once; or conditions such as
        ``orders.id == deliveries.id``, which must all hold. As in ``DataFrame.join``.
    how : str, default "inner"
        The type of join: ``"inner"``, ``"leftOuter"``, ``"rightOuter"``, ``"fullOuter"``,
        ``"leftSemi"`` or ``"leftAnti"``, in any spelling of ``DataFrame.join``.
    between : tuple of (str, str, duration, duration), optional
        The bounds ``(time, base, lower, upper)``: a time column of one side, a time column of the
        other side, and two durations, each a str or a datetime.timedelta in whole milliseconds,
        which may be negative. Rows match if ``base + lower <= time <= base + upper``. If both sides
        have both columns, `time` is of the right side. Not needed where `on` bounds the times in
        both directions, or has equal times or equal windows. Without bounds, an outer or semi join
        of streams is refused, and the state of an inner join grows for ever: the setting
        ``spark.tidegate.join.unbounded`` says whether that is a warning (``warn``, the default) or
        an error (``error``).

    Returns
    -------
    DataFrame
        The rows of the join, with the columns that ``DataFrame.join`` gives.

    Raises
    ------
    TypeError
        If an argument has the wrong type, or `on` mixes names and conditions.
    ValueError
        If `on` is empty, or `between` does not have four parts.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    UnsupportedSessionError
        If some of `left`, `right` and `on` belong to a Spark Connect session, and others do not.
    pyspark.errors.AnalysisException
        If a column, a duration or the type of join is not usable, `lower` is above `upper`, the
        times have different types, a time column has no keyed watermark, both sides have the same
        key for different columns, or bounds are missing. What depends on the whole query, such as
        the bounds of an inner join, is checked when the query starts.

    Examples
    --------
    Orders without a delivery within ten minutes are emitted with nulls:

    >>> orders = orders.withKeyedWatermark("order_time", "5 seconds", key=0, name="orders")
    >>> deliveries = deliveries.withKeyedWatermark(
    ...     "delivery_time", "1 minute", key=1, name="deliveries")
    >>> orders.streamJoin(
    ...     deliveries, on="order_id", how="leftOuter",
    ...     between=("delivery_time", "order_time", "0 seconds", "10 minutes")
    ... ).columns
    ['order_id', 'order_time', 'partition', 'delivery_time']

    As a function, with a condition, and with the bounds seen from the other side:

    >>> from datetime import timedelta
    >>> from tidegate import streamJoin
    >>> orders.transform(
    ...     streamJoin, deliveries, orders.order_id == deliveries.order_id,
    ...     between=("order_time", "delivery_time", timedelta(minutes=-10), timedelta(0))
    ... ).columns
    ['order_id', 'order_time', 'partition', 'order_id', 'delivery_time']
    """
    columns = names_or_condition(on)
    join_type = text("how", how, "a type of join such as 'leftOuter'")
    bounds = _bounds(between)
    if any(map(_connect.is_connect, (left, right, columns))):
        return _connect.stream_join(left, right, columns, join_type, bounds)
    return _jvm.stream_join(left, right, columns, join_type, bounds)


def names_or_condition(on: Any) -> list[str] | Column:
    """Return the argument `on` of a join: names, or one condition."""
    parts = []
    for part in on if isinstance(on, Sequence) and not isinstance(on, str) else [on]:
        if not isinstance(part, str | Column):
            raise wrong_type("on", _ON, part)
        parts.append(part)
    if not parts:
        raise ValueError(f"on must be {_ON}, found {on!r}, which is empty.")
    names = [part for part in parts if isinstance(part, str)]
    conditions = [part for part in parts if isinstance(part, Column)]
    if names and conditions:
        raise TypeError(f"on must be names or conditions (Columns), not both, found {on!r}.")
    return names or reduce(and_, conditions)


def _bounds(between: Any) -> list[str] | None:
    if between is None:
        return None
    if isinstance(between, str) or not isinstance(between, Sequence):
        raise wrong_type("between", f"a tuple {_BETWEEN} such as {_EXAMPLE}", between)
    if len(between) != 4:
        raise ValueError(
            f"between must have four parts, {_BETWEEN}, such as {_EXAMPLE}, found "
            f"{len(between)}: {between!r}."
        )
    time, base, lower, upper = between
    return [
        text("time in between", time, "the name of a column"),
        text("base in between", base, "the name of a column"),
        duration("lower in between", lower),
        duration("upper in between", upper),
    ]
