"""Names of stateful operators."""

from pyspark.sql import DataFrame

from tidegate import _connect, _jvm
from tidegate._arguments import text
from tidegate._keywords import keywords


@keywords
def tidegateName(df: DataFrame, name: str) -> DataFrame:
    """Name the stateful operator that makes a stream, such as its windows or its join.

    The name goes to the first operator with state below: filters and projections may stand in
    between. The operator appears under its name in the log and in the progress of the query. A
    restarted query finds the state of the operator by its name, so operators may change their
    places between two runs. On batch data the name has no effect.

    Also a method of DataFrame, and usable with ``df.transform``. In SQL the same is the hint
    ``SELECT /*+ TIDEGATE_NAME('hourly') */ ...``.

    Parameters
    ----------
    df : DataFrame
        The result of the operator.
    name : str
        A word of letters, digits, ``_`` and ``-`` that does not begin with a digit or ``-``. Each
        operator of a query needs a name of its own.

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
    pyspark.errors.AnalysisException
        If the name is not a word, or is a name that Tidegate gives, such as ``aggregate-2``. When
        the query starts: if the name has no operator over a keyed watermark or more than one, if
        an operator has two names, or if two operators have one name.

    Examples
    --------
    >>> from pyspark.sql.functions import window
    >>> watched = orders.withKeyedWatermark("order_time", "5 seconds")
    >>> hourly = watched.groupBy(window("order_time", "1 hour")).count()
    >>> hourly.tidegateName("hourly").columns
    ['window', 'count']
    """
    word = text("name", name, "the name of an operator")
    if _connect.is_connect(df):
        return _connect.tidegate_name(df, word)
    return _jvm.tidegate_name(df, word)
