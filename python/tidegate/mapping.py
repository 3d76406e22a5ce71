"""Asynchronous calls for the rows of a DataFrame."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql.pandas.utils import require_minimum_pyarrow_version
from pyspark.sql.types import StructType

from tidegate import _connect, _jvm, _workers
from tidegate._arguments import Duration, boolean, duration, text, whole_number, wrong_type
from tidegate._calls import CallSettings
from tidegate._defaults import BREAK_AFTER, MAX_IN_FLIGHT, RETRIES, TIMEOUT
from tidegate._keywords import keywords
from tidegate.errors import UnsupportedSessionError

OnError: TypeAlias = Literal["fail", "null", "dead letter"]
"""What happens with a row whose call has failed for good."""

ON_ERROR = ("fail", "null", "dead letter")

NO_CONNECT = (
    "mapAsync needs classic PySpark, and this is a DataFrame of Spark Connect, whose plans cannot "
    "hold calls. Run the query in classic PySpark, or call the service in mapInArrow."
)

_FUNCTION = (
    "an async def over a row, with a second parameter for the key of the call if it wants one; or "
    "a class or an object with such a method __call__"
)


class AsyncCallable(Protocol):
    """What is called for each row: it has an ``async def __call__``."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the row of the result."""


AsyncFunction: TypeAlias = Callable[..., Awaitable[Any]] | type[AsyncCallable]
"""An ``async def``, or a class or an object with ``async def __call__``."""


@keywords
def mapAsync(
    df: DataFrame,
    fn: AsyncFunction,
    schema: StructType | str,
    ordered: bool = True,
    maxInFlight: int = MAX_IN_FLIGHT,
    timeout: Duration | None = TIMEOUT,
    retries: int = RETRIES,
    onError: OnError = "fail",
    deadLetters: str | None = None,
    breakAfter: int = BREAK_AFTER,
    rowsPerCall: int | None = None,
) -> DataFrame:
    """Call an asynchronous function with each row, many calls at a time in each task.

    The function gets a Row, and returns the row of the result: a dict, a tuple or a Row with the
    columns of `schema`. Each task has an event loop. A column of the result with the name and type
    of a column of `df` that has a keyed watermark keeps the watermark. A batch of a stream ends
    when all its calls have ended, so time never overtakes a row.

    A class is made once for each task; an object is copied to each task. ``async def setup(self)``
    is awaited before the first call of a task, and ``async def teardown(self)`` after the last one.

    A batch that is run again, after a failure or a restart, calls again. A second parameter of the
    function gets a :class:`CallKey`, which is the same then, for services that leave out doubles.

    Also a method of DataFrame, and usable with ``df.transform``. The package must be installed
    where the executors run. As ``mapInArrow``, it needs pyarrow and pandas.

    Parameters
    ----------
    df : DataFrame
        A stream or batch data.
    fn : callable
        An ``async def``; or a class or an object with ``async def __call__``.
    schema : StructType or str
        The columns of the result.
    ordered : bool, default True
        Whether rows leave in the order in which they came. Otherwise they leave as soon as they
        have their answers, and one slow call does not hold up the others of its task.
    maxInFlight : int, default 100
        The largest number of calls in flight in a task.
    timeout : str or timedelta, default "30 seconds"
        How long an attempt may take, and each of `setup` and `teardown`, 1 ms or more. With None,
        for ever. An attempt whose time is over is cancelled; it is made again when it has ended.
    retries : int, default 2
        How often a failed call is made again: after a random pause of up to 0.1 s, then up to 0.2 s
        and so on, up to 10 s.
    onError : {"fail", "null", "dead letter"}, default "fail"
        What happens with a row whose call has failed for good. ``"fail"`` fails the query.
        ``"null"`` gives the row null in the columns that `df` does not have. ``"dead letter"``
        writes the row to `deadLetters`, and leaves it out.
    deadLetters : str, optional
        A folder in any file system that Spark can write to; also one of other queries.
    breakAfter : int, default 100
        After how many failed calls in a row, in one task, the query fails whatever `onError` says.
    rowsPerCall : int, optional
        How many rows the function gets in a call, at most, as a list. It then returns a list with a
        row for each. By default it gets one row.

    Returns
    -------
    DataFrame
        The results, in the columns of `schema`. All columns are nullable; null in a column that
        `schema` declares NOT NULL fails the query.

    Raises
    ------
    TypeError
        If an argument has the wrong type, or the function is not asynchronous or takes other
        parameters.
    ValueError
        If a number is too small, or `onError` is none of the three.
    MissingJarError
        If Spark runs without the Tidegate jar.
    UnsupportedSessionError
        If `df` is of Spark Connect, or if Spark's workers run on this machine in a Python without
        Tidegate.
    pyspark.errors.AnalysisException
        If the timeout cannot be read or is too short, or the schema cannot be read, has a column
        twice, or does not fit `onError`. When the query runs, a call that fails for good or returns
        something that does not fit the schema fails the query.

    Examples
    --------
    >>> async def price(order):
    ...     return {"order_id": order.order_id, "price": order.order_id * 10}
    >>> batch = spark.range(3).withColumnRenamed("id", "order_id")
    >>> batch.mapAsync(price, "order_id long, price long").collect()
    [Row(order_id=0, price=0), Row(order_id=1, price=10), Row(order_id=2, price=20)]

    With a connection that is opened once for each task:

    >>> class Prices:
    ...     async def setup(self):
    ...         self.prices = {1: 100}
    ...     async def __call__(self, order):
    ...         return order.order_id, self.prices.get(order.order_id)
    ...     async def teardown(self):
    ...         self.prices.clear()
    >>> batch.mapAsync(Prices, "order_id long, price long", ordered=False).count()
    3
    """
    name, takes_key = _signature(fn)
    if not isinstance(schema, StructType | str):
        raise wrong_type("schema", "a StructType or a text such as 'id long, price double'", schema)
    boolean("ordered", ordered)
    whole_number("maxInFlight", maxInFlight, 1)
    limit = None if timeout is None else duration("timeout", timeout)
    whole_number("retries", retries, 0)
    if onError not in ON_ERROR:
        known = "', '".join(ON_ERROR)
        raise ValueError(f"onError must be one of '{known}', found {onError!r}.")
    if (deadLetters is None) == (onError == "dead letter"):
        raise ValueError(
            "deadLetters must be a folder if onError is 'dead letter', and only then, found "
            f"{deadLetters!r} with onError={onError!r}."
        )
    folder = None if deadLetters is None else text("deadLetters", deadLetters, "a folder")
    whole_number("breakAfter", breakAfter, 1)
    if rowsPerCall is not None:
        whole_number("rowsPerCall", rowsPerCall, 1)
    if _connect.is_connect(df):
        raise UnsupportedSessionError(NO_CONNECT)
    _workers.check("mapAsync", _jvm.context())
    columns = schema if isinstance(schema, str) else schema.json()
    fields, timeout_ms, calls = _jvm.async_arguments(df, columns, limit, onError)

    # Here, because a session can do without pyarrow.
    require_minimum_pyarrow_version()
    from tidegate._mapper import AsyncMapper

    settings = CallSettings(
        name,
        ordered,
        maxInFlight,
        None if timeout_ms is None else timeout_ms / 1000,
        retries,
        onError != "fail",
        breakAfter,
        takes_key,
    )
    mapper = AsyncMapper(
        fn if inspect.isclass(fn) else functools.partial(_itself, fn),
        settings,
        df.schema,
        fields,
        calls,
        rowsPerCall,
        onError,
    )
    # Rows that are left out are null in all columns.
    wide = StructType()
    for field in [*fields.fields, *calls.fields]:
        wide.add(field.name, field.dataType)
    mapped = df.mapInArrow(_workers.carried("mapAsync", mapper), wide)
    return _jvm.map_async(df, mapped, name, folder)


def _itself(function: Any) -> Any:
    return function


def _signature(fn: Any) -> tuple[str, bool]:
    """Return the name of a function, and whether it takes the key of the call."""
    if not callable(fn):
        raise wrong_type("fn", _FUNCTION, fn)
    is_plain = inspect.isroutine(fn) or isinstance(fn, functools.partial)
    kind = fn if inspect.isclass(fn) else type(fn)
    called = fn if is_plain else kind.__call__
    named = fn.func if isinstance(fn, functools.partial) else fn
    name = getattr(named, "__qualname__", kind.__qualname__)
    if not inspect.iscoroutinefunction(called):
        raise TypeError(f"fn must be {_FUNCTION}, found {name}, which is not an async def.")
    for hook in ("setup", "teardown"):
        found = None if is_plain else getattr(kind, hook, None)
        if found is not None and not inspect.iscoroutinefunction(found):
            raise TypeError(
                f"fn must have an async def {hook}(self) or none, found {name}.{hook}, which is "
                "not an async def."
            )
    signature = inspect.signature(called)
    parameters = list(signature.parameters.values())
    if not is_plain:
        parameters = parameters[1:]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    nameless = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if not positional or len(required) > 2 or nameless:
        raise TypeError(
            f"fn must take a row, or a row and the key of the call, found {name}{signature}."
        )
    return name, len(required) == 2
