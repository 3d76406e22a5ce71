"""The first rows of each group of a stream."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from tidegate._arguments import column_names, text, whole_number, wrong_type
from tidegate._keywords import keywords


@keywords
def topN(
    df: DataFrame,
    n: int,
    partitionBy: str | Sequence[str],
    orderBy: Column | str | Sequence[Column | str],
    rank: str = "rank",
) -> DataFrame:
    """Keep the first rows of each group, with their places.

    Shorthand for ``row_number()`` over a window of `partitionBy` and `orderBy`, and a filter. With
    the window of a window function among `partitionBy`, such as ``["window_start", "window_end"]``,
    the rows leave once, when the watermark closes the window. In output mode update, a row replaces
    the one that had its group and its place. Equal rows have any order.

    Also a method of DataFrame, and usable with ``df.transform``. On batch data it is Spark's
    function.

    Parameters
    ----------
    df : DataFrame
        A stream or a batch.
    n : int
        How many rows of each group are kept, at least 1.
    partitionBy : str or sequence of str
        The columns of a group.
    orderBy : Column, str, or sequence of these
        Which rows come first.
    rank : str, default "rank"
        The name of the new column with the place of a row: 1 is the first.

    Returns
    -------
    DataFrame
        The columns of `df`, and the place of each row.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `n` is below 1, if `partitionBy` or `orderBy` is empty, or if `df` has a column `rank`.
    pyspark.errors.AnalysisException
        If a column does not exist. When the query starts: if no time with a watermark is among
        `partitionBy` in output mode append.

    Examples
    --------
    >>> from pyspark.sql import functions as F
    >>> watched = orders.withKeyedWatermark("order_time", "5 seconds", substream="partition")
    >>> hours = watched.withColumn("window", F.window("order_time", "1 hour"))
    >>> hours.topN(3, "window", F.desc("order_id"), rank="place").columns
    ['order_id', 'order_time', 'partition', 'window', 'place']
    """
    limit = whole_number("n", n, smallest=1)
    groups = column_names("partitionBy", partitionBy)
    place = text("rank", rank, "the name of a new column")
    orders = [orderBy] if isinstance(orderBy, str) or not isinstance(orderBy, Sequence) else orderBy
    for order in orders:
        if not isinstance(order, str | Column):
            raise wrong_type("orderBy", "a Column, the name of one, or a sequence of these", order)
    for argument, columns in (("partitionBy", groups), ("orderBy", orders)):
        if not columns:
            raise ValueError(f"{argument} must have at least one column, found none.")
    if place.lower() in (name.lower() for name in df.columns):
        raise ValueError(f"rank must be the name of a new column, found {place!r}, which `df` has.")
    window = Window.partitionBy(*groups).orderBy(*orders)
    quoted = "`" + place.replace("`", "``") + "`"
    return df.withColumn(place, F.row_number().over(window)).where(F.col(quoted) <= limit)
