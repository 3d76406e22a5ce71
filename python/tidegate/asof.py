"""As-of joins: each row with the version of its key that was valid at the time of the row."""

from typing import Literal, TypeAlias

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import Duration, duration, text
from tidegate._keywords import keywords
from tidegate.joins import On, names_or_condition

AsOfHow: TypeAlias = Literal["inner", "left", "leftouter", "left_outer", "leftOuter"]
"""The types of as-of joins, in the spellings of ``DataFrame.join``."""


@keywords
def asOfJoin(
    left: DataFrame,
    right: DataFrame,
    on: On,
    leftTime: str | None = None,
    rightTime: str | None = None,
    how: AsOfHow = "inner",
    tolerance: Duration | None = None,
) -> DataFrame:
    """Join each row with the version of its key as of the time of the row.

    The version of a row is the newest row of `right` with the same key whose time is at or before
    the time of the row. Of versions of one key with the same time, the one with the
    greatest columns counts.

    Each row of a stream leaves once, when the watermark of `right` has passed its time: from then
    on no other version can come. Give `right` an `idleTimeout` if its versions are rare, so that it
    does not hold the rows. The time of `left` keeps its watermark, held back by that of `right`.
    The time of a version is no event time of the result: it may be of any age.

    Also a method of DataFrame, and usable with ``df.transform``. On batch DataFrames the rows are
    the same, and so are they for a stream with a table at its right side.

    Parameters
    ----------
    left : DataFrame
        The rows: a stream with a keyed watermark on its time column, or a table.
    right : DataFrame
        The versions: a stream with a keyed watermark on its time column, or a table. It may have
        the same watermark key as `left`.
    on : str, Column or sequence of either
        Names of the columns of the key, which the result has once; or conditions, which must all
        hold. One of them is an equality of a column of each side. The others are asked of a row and
        its version, such as ``~rates.deleted``: if they do not hold, the row has no version.
    leftTime : str, optional
        The time column of `left`. By default its only time column with a watermark, or in a table
        its only time column.
    rightTime : str, optional
        The time column of `right`, from which on a version is valid. By default as `leftTime`.
    how : str, default "inner"
        ``"inner"`` drops rows without a version, ``"left"`` keeps them with nulls.
    tolerance : str or datetime.timedelta, optional
        How much older than the row its version may be, in whole milliseconds, not negative. By
        default it may be of any age.

    Returns
    -------
    DataFrame
        The columns that ``DataFrame.join`` gives.

    Raises
    ------
    TypeError
        If an argument has the wrong type, or `on` mixes names and conditions.
    ValueError
        If `on` is empty.
    MissingJarError
        If Spark runs without the Tidegate jar.
    MissingExtensionError
        If a Spark Connect server runs without the Tidegate extension.
    UnsupportedSessionError
        If some of `left`, `right` and `on` belong to a Spark Connect session, and others do not.
    pyspark.errors.AnalysisException
        If a column, the type of join or the tolerance is not usable, `on` has no equality, a time
        column is missing, is of another type than that of the other side, or has no keyed
        watermark, or if `left` is a table and `right` a stream. When the query starts: if its
        output mode is not append.

    Examples
    --------
    Each order with the exchange rate of its time:

    >>> orders = orders.withKeyedWatermark("order_time", "5 seconds", name="orders")
    >>> rates = deliveries.withColumnRenamed("delivery_time", "rate_time").withKeyedWatermark(
    ...     "rate_time", "5 seconds", idleTimeout="1 minute", name="rates")
    >>> orders.asOfJoin(rates, on="order_id", how="left", tolerance="1 hour").columns
    ['order_id', 'order_time', 'partition', 'rate_time']

    On a condition, with the times named:

    >>> from tidegate import asOfJoin
    >>> orders.transform(
    ...     asOfJoin, rates, orders.order_id == rates.order_id,
    ...     leftTime="order_time", rightTime="rate_time"
    ... ).columns
    ['order_id', 'order_time', 'partition', 'order_id', 'rate_time']
    """
    columns = names_or_condition(on)
    left_time, right_time = _column("leftTime", leftTime), _column("rightTime", rightTime)
    join_type = text("how", how, "a type of join, 'inner' or 'left'")
    age = None if tolerance is None else duration("tolerance", tolerance)
    if any(map(_connect.is_connect, (left, right, columns))):
        return _connect.as_of_join(left, right, columns, left_time, right_time, join_type, age)
    return _jvm.as_of_join(left, right, columns, left_time, right_time, join_type, age)


def _column(argument: str, name: str | None) -> str | None:
    return None if name is None else text(argument, name, "the name of a column")
