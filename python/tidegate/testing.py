"""A kit for tests of your own queries: streams that a test feeds, and a clock that it moves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol, TypeAlias

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import (
    DataType,
    DateType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tidegate import _arguments, _jvm
from tidegate._arguments import Duration, boolean, output_mode, text, wrong_type
from tidegate._connect import is_connect
from tidegate._keywords import keywords
from tidegate._times import utc
from tidegate.errors import UnsupportedSessionError
from tidegate.insight import TimeExplanation, explainTime

__all__ = ["QueryUnderTest", "Rows", "StreamTest"]


class Pandas(Protocol):
    """A DataFrame of pandas."""

    @property
    def iloc(self) -> Any:
        """Have rows by their places."""


Rows: TypeAlias = Iterable[Mapping[str, Any] | Sequence[Any]] | DataFrame | Pandas
"""Rows as dicts, Rows or tuples, or as a DataFrame of pandas or Spark."""

Query: TypeAlias = DataFrame | str | Callable[[], DataFrame]
"""A DataFrame, a statement of SQL, or a function that returns a DataFrame."""

NO_CONNECT = (
    "StreamTest needs classic PySpark, and this is a session of Spark Connect, where the clock of "
    "a query cannot be moved. Write the query as a function of its input DataFrames, and test the "
    "function in a classic session."
)

_TIMES = (DateType, TimestampType, TimestampNTZType)


class StreamTest:
    """A test of streaming queries: streams that it feeds, and a clock that it moves.

    Each call returns when nothing is due any more at the time of the clock. So a test needs no
    waits, and takes the same way each time. A ``with`` block stops the queries at its end. Classic
    PySpark only.

    Parameters
    ----------
    spark : SparkSession
        A session with Tidegate, as :func:`tidegate.configure` makes it.
    now : str or datetime, optional
        Where the clock stands at first. A text such as ``"2026-01-01 12:00:00"`` is in the time
        zone of the session. By default 2026-01-01 12:00:00 UTC.

    Raises
    ------
    TypeError
        If an argument has another type.
    UnsupportedSessionError
        If `spark` is a session of Spark Connect, where the clock of a query cannot be moved.
    MissingJarError
        If Spark runs without the Tidegate jar.
    pyspark.errors.AnalysisException
        If `now` is no timestamp.

    Examples
    --------
    >>> from pyspark.sql import functions as F
    >>> from tidegate.testing import StreamTest
    >>> with StreamTest(spark) as test:
    ...     shops = test.input("shops", "time TIMESTAMP, shop STRING")
    ...     keyed = shops.withKeyedWatermark(
    ...         "time", "5 seconds", substream="shop", idleTimeout="1 minute", name="shops")
    ...     counts = keyed.groupBy(F.window("time", "1 minute")).count().select("count")
    ...     query = test.start(counts)
    ...     test.feed("shops", [("2026-01-01 12:00:10", "a"), ("2026-01-01 12:00:20", "b")])
    ...     test.feed("shops", [{"time": "2026-01-01 12:05:10", "shop": "a"}])
    ...     query.assertEmitted([])
    ...     test.advance("60 seconds")
    ...     query.assertEmitted([{"count": 2}])
    """

    @keywords
    def __init__(self, spark: SparkSession, now: str | datetime | None = None) -> None:
        if is_connect(spark):
            raise UnsupportedSessionError(NO_CONNECT)
        if not isinstance(spark, SparkSession):
            raise wrong_type("spark", "a pyspark.sql.SparkSession", spark)
        begin = now.isoformat() if isinstance(now, datetime) else now
        if begin is not None:
            text("now", begin, "a timestamp")
        self._spark = spark
        self._java = _jvm.facade().streamTest(spark._jsparkSession, begin)

    @property
    def now(self) -> datetime:
        """The time of the clock, in UTC."""
        now = utc(self._java.time().toEpochMilli())
        assert now is not None
        return now

    @keywords
    def input(self, name: str, schema: str | StructType) -> DataFrame:
        """Make a stream that ``feed`` gives rows, and a temporary view of the same name.

        Parameters
        ----------
        name : str
            The name for ``feed``, and for queries in SQL.
        schema : str or StructType
            Its columns, such as ``"id LONG, time TIMESTAMP"``.

        Returns
        -------
        DataFrame
            The stream; of a second call with the same columns, the same one.

        Raises
        ------
        TypeError
            If an argument has another type.
        pyspark.errors.ParseException
            If the text of `schema` cannot be read.
        pyspark.errors.AnalysisException
            If the session has a temporary view of this name.
        """
        text("name", name, "the name of the input")
        if isinstance(schema, StructType):
            return self._table(_jvm.facade().input(self._java, name, schema.json()))
        return self._table(self._java.input(name, text("schema", schema, "columns")))

    def feed(self, name: str | None = None, rows: Rows | None = None, /, **inputs: Rows) -> None:
        """Give inputs rows, which come in one batch, and run what is due then.

        ``feed("orders", rows)`` is for one input, ``feed(orders=rows, deliveries=more)`` for
        several, whose rows come in the same batch. Rows that are fed while a query is down wait for
        its start.

        Parameters
        ----------
        name : str
            The name of an input.
        rows : list of dict, Row or tuple, or DataFrame of pandas or Spark
            Its rows. Columns of a dict, a Row or a DataFrame are found by name, and those that are
            not there are NULL. Times and dates may be texts, which are in the time zone of the
            session.
        **inputs
            Rows by the name of their input.

        Raises
        ------
        TypeError
            If an argument has another type.
        ValueError
            If a tuple has more or fewer values than the input has columns.
        pyspark.errors.AnalysisException
            If there is no such input or column.
        pyspark.errors.StreamingQueryException
            If a query fails.
        """
        if name is not None and rows is not None:
            inputs[text("name", name, "the name of an input")] = rows
        elif not inputs or name is not None:
            raise TypeError('feed needs an input and its rows, as in feed("orders", [(1, "a")]).')
        facade = _jvm.facade()
        tables = {
            of: self._read(f"rows of {of}", given, facade.schema(self._java, of))
            for of, given in inputs.items()
        }
        facade.feed(self._java, tables)

    @keywords
    def advance(self, duration: Duration) -> None:
        """Move the clock ahead at once, and run what is due then.

        Parameters
        ----------
        duration : str or timedelta
            How far, in whole milliseconds, such as ``"60 seconds"``.

        Raises
        ------
        TypeError
            If `duration` has another type.
        pyspark.errors.AnalysisException
            If `duration` is no duration, or is negative.
        pyspark.errors.StreamingQueryException
            If a query fails.
        """
        self._java.advance(_arguments.duration("duration", duration))

    @keywords
    def start(
        self,
        query: Query,
        outputMode: str = "append",
        availableNow: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> QueryUnderTest:
        """Start a query over the inputs, and run what is due.

        Parameters
        ----------
        query : DataFrame, str or function
            The query; a statement of SQL over views with the names of the inputs; or a function
            without arguments that returns a DataFrame. Statements and functions are called again
            for each restart.
        outputMode : str, default "append"
            ``"append"``, ``"update"`` or ``"complete"``.
        availableNow : bool, default False
            Whether the query has the trigger ``availableNow``: each start reads what is there, and
            ends. Otherwise the query runs until it is stopped.
        settings : dict, optional
            Settings of Spark for this query. By default its states have one partition.

        Returns
        -------
        QueryUnderTest
            The query.

        Raises
        ------
        TypeError, ValueError
            If an argument has another type or value.
        pyspark.errors.AnalysisException
            If the query is refused.
        pyspark.errors.StreamingQueryException
            If the query fails.
        """
        options = {name: _setting(value) for name, value in (settings or {}).items()}
        mode = output_mode(outputMode)
        ends = boolean("availableNow", availableNow)
        df = self._frame(query)
        java = _jvm.facade().start(self._java, df._jdf, mode, ends, options)
        return QueryUnderTest(self, java, query)

    def report(self) -> str:
        """Return what a failed test shows of each query: rows, watermarks, and what holds time."""
        return str(self._java.report())

    def close(self) -> None:
        """Stop the queries, and remove what the test has made."""
        self._java.close()

    def __enter__(self) -> StreamTest:
        """Return the test."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the test; a failed assertion gets a note of what the queries have done."""
        try:
            if isinstance(error, AssertionError) and not isinstance(error, EmittedError):
                # Python 3.10 has no notes.
                getattr(error, "add_note", str)(self._note())
        finally:
            self.close()

    def _note(self) -> str:
        try:
            return self.report()
        except Exception as failure:
            return f"There is no report: {failure}"

    def _frame(self, query: Query) -> DataFrame:
        if isinstance(query, str):
            return self._spark.sql(query)
        df = query() if callable(query) else query
        if not isinstance(df, DataFrame):
            wanted = "a pyspark.sql.DataFrame, SQL (a str) or a function that returns a DataFrame"
            raise wrong_type("query", wanted, df)
        return df

    def _table(self, java: Any) -> DataFrame:
        return DataFrame(java, self._spark)

    def _read(self, argument: str, rows: Rows, schema: str) -> Any:
        return _read(self._spark, argument, rows, StructType.fromJson(json.loads(schema)))._jdf


class QueryUnderTest:
    """A query of a :class:`tidegate.testing.StreamTest`, as its ``start`` returns the query.

    The query has a checkpoint of its own, and its sink has each batch once, also one that runs
    again after a kill.
    """

    def __init__(self, test: StreamTest, java: Any, query: Query) -> None:
        self._test, self._java, self._query = test, java, query

    @property
    def streamingQuery(self) -> StreamingQuery:
        """The run of the query, for functions such as :func:`tidegate.watermarks`."""
        return StreamingQuery(self._java.streamingQuery())

    def emitted(self) -> list[Row]:
        """Return all rows that the query has emitted, batch by batch.

        In output mode complete these are the rows of the last batch. Each has the columns that the
        query had then.
        """
        return self._rows(_jvm.facade().emitted(self._java))

    @keywords
    def assertEmitted(self, rows: Rows) -> None:
        """Compare the rows that the query has emitted since the last call, in any order.

        In output mode complete these are the rows of the last batch.

        Parameters
        ----------
        rows : list of dict, Row or tuple, or DataFrame of pandas or Spark
            The rows that are expected. Of dicts, Rows and DataFrames only the columns that one of
            them names are compared. Times and dates may be texts.

        Raises
        ------
        AssertionError
            If the query has emitted others. The text shows the rows, the watermarks, and what holds
            time back. The next call compares these rows again.
        """
        __tracebackhide__ = True
        facade = _jvm.facade()
        expected = self._test._read("rows", rows, facade.columns(self._java))
        difference = facade.difference(self._java, expected)
        if difference is not None:
            raise EmittedError(difference)

    def late(self) -> list[Row]:
        """Return the rows that were late for an operator.

        Returns
        -------
        list of Row
            With the columns of a table of late rows, such as ``operator``, ``event_time``,
            ``watermark_time``, ``partly_late`` and ``row``, the row itself. The argument `lateRows`
            of a watermark has no effect in a test.
        """
        return self._rows(_jvm.facade().late(self._java))

    @keywords
    def watermark(self, name: str) -> datetime | None:
        """Return a watermark, in UTC; None until there is one.

        Parameters
        ----------
        name : str
            The name of a watermark or an operator, such as ``"orders"`` or ``"aggregate"``.

        Raises
        ------
        TypeError
            If `name` is no text.
        pyspark.errors.AnalysisException
            If the query has no watermark and no operator of this name.
        """
        return utc(_jvm.facade().watermark(self._java, text("name", name, "a watermark")))

    def explainTime(self) -> TimeExplanation:
        """Print and return what :func:`tidegate.explainTime` says of the query."""
        return explainTime(self.streamingQuery)

    def stop(self) -> None:
        """Stop the query. Rows that are fed from now on wait for a restart."""
        self._java.stop()

    @keywords
    def restart(self, query: Query | None = None) -> None:
        """Stop the query, if it runs, and start it on its checkpoint.

        Parameters
        ----------
        query : DataFrame, str or function, optional
            Another query, as after a change of the code. By default the same.

        Raises
        ------
        TypeError
            If `query` is something else.
        pyspark.errors.AnalysisException
            If the query is refused.
        pyspark.errors.StreamingQueryException
            If the query fails, for instance because it does not fit the checkpoint.
        """
        if query is not None:
            self._query = query
        _jvm.facade().restart(self._java, self._test._frame(self._query)._jdf)

    def kill(self) -> None:
        """Let the query die after its last batch has written its rows, and before it is committed.

        A ``restart`` runs this batch again, as after a kill of the process.
        """
        self._java.kill()

    def report(self) -> str:
        """Return what a failed test shows: rows, watermarks, and what holds time."""
        return str(self._java.report())

    def _rows(self, tables: Iterable[Any]) -> list[Row]:
        return [row for table in tables for row in self._test._table(table).collect()]


class EmittedError(AssertionError):
    """A query has not emitted the rows that are expected; the text has a report."""


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(spark: SparkSession, argument: str, rows: Any, schema: StructType) -> DataFrame:
    """Make a table of rows with the columns that they name."""
    if isinstance(rows, DataFrame):
        return rows
    if hasattr(rows, "iloc"):
        return spark.createDataFrame(rows)
    if not isinstance(rows, Iterable) or isinstance(rows, (str, Mapping, Row)):
        raise wrong_type(argument, "a list of dicts, Rows or tuples, or a DataFrame", rows)
    records = [_record(argument, row, schema.names) for row in rows]
    # The JVM refuses a name that is no column.
    names = list(dict.fromkeys(name for record in records for name in record))
    known = [name if name in schema.names else None for name in names]
    columns = {name: [record.get(name) for record in records] for name in known if name}
    fields = [
        StructField(name, _as_written(schema[name].dataType, columns[name]))
        if name in columns
        else StructField(name, NullType())
        for name in names
    ]
    table = [
        tuple(record.get(name) if name in columns else None for name in names) for record in records
    ]
    return spark.createDataFrame(table, StructType(fields))


def _record(argument: str, row: Any, names: list[str]) -> dict[str, Any]:
    """Return the values of a row by the names of their columns."""
    if isinstance(row, Mapping):
        return dict(row)
    if isinstance(row, Row) and hasattr(row, "__fields__"):
        return row.asDict()
    if not isinstance(row, (tuple, list)):
        raise wrong_type(argument, "dicts, Rows or tuples", row)
    if len(row) != len(names):
        raise ValueError(
            f"{argument} must have a value for each of {', '.join(names)}, found {tuple(row)!r}."
        )
    return dict(zip(names, row, strict=True))


def _as_written(data_type: DataType, values: list[Any]) -> DataType:
    """Return the type of values as a test writes them: times may be texts, which the JVM reads."""
    if isinstance(data_type, StructType):
        return StructType(
            [
                StructField(f.name, _as_written(f.dataType, [_part(v, f.name, i) for v in values]))
                for i, f in enumerate(data_type.fields)
            ]
        )
    if isinstance(data_type, _TIMES) and any(isinstance(value, str) for value in values):
        return StringType()
    return data_type


def _part(value: Any, name: str, i: int) -> Any:
    if value is None:
        return None
    return value.get(name) if isinstance(value, Mapping) else value[i]
