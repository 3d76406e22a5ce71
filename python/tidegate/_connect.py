"""Calls to a Spark Connect server, where there is no py4j: each function is one call in SQL.

Every value from the caller is a parameter of the statement, so nothing has to be quoted. The server
reads the names of columns in the spelling that ``DataFrame`` methods take.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame

from tidegate._arguments import wrong_type
from tidegate.errors import MissingExtensionError, UnsupportedSessionError

NO_EXTENSION = (
    "The Spark Connect server runs without the Tidegate extension. Start the server with --jars "
    "<the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions; "
    "tidegate.jarPath() is the jar for this PySpark."
)

MIXED = (
    "{method} joins two DataFrames of one session, found some of a Spark Connect session and "
    "some of classic PySpark: left is {left}, right is {right}{condition}."
)

DESCRIBED = ("policy", "emission")
"""The arguments of a watermark that are a name and durations."""


BOUNDS_FOLLOW = "tidegate_bounds_follow"
"""A hint on a join whose bounds come next: the server does not refuse the join without them."""


OPERATOR_NAME = "tidegate_name"
"""A hint that names the first stateful operator below."""


WATERMARKS_TABLE = "tidegate_watermarks"
"""The table function with the watermarks of a query."""


WATERMARKS = f"""
SELECT name, kind, key, event_time AS eventTime, unix_millis(watermark) AS watermark, idle,
  held_back_by AS heldBackBy, substream, unix_millis(substream_watermark) AS substreamWatermark,
  substream_idle AS substreamIdle, future_events AS futureEventsTotal,
  unix_millis(eviction_watermark) AS evictionWatermark,
  eviction_held_back_by AS evictionHeldBackBy, late_rows AS lateRowsTotal,
  partly_late_rows AS partlyLateRowsTotal, partly_late_windows AS partlyLateWindowsTotal
FROM {WATERMARKS_TABLE}(:query)
"""
"""Asks for the watermarks of a query, with times in epoch ms."""


PROGRESS_TABLE = "tidegate_progress"
"""The table function with what the batches of a query did to time."""


PROGRESS = f"""
SELECT batch_id AS batchId, unix_millis(wall_clock) AS wallClock,
  unix_millis(batch_time) AS batchTime, input_rows AS inputRows, name, kind, key,
  unix_millis(watermark) AS watermark, lag_ms AS lagMs, idle, held_back_by AS heldBackBy,
  unix_millis(held_back_since) AS heldBackSince, held_back_ms AS heldBackMs,
  active_substreams AS activeSubstreams, idle_substreams AS idleSubstreams,
  unread_substreams AS unreadSubstreams, unix_millis(moved_at) AS movedAt,
  future_events AS futureEvents, future_events_total AS futureEventsTotal,
  unix_millis(eviction_watermark) AS evictionWatermark,
  eviction_held_back_by AS evictionHeldBackBy, late_rows AS lateRows,
  late_rows_total AS lateRowsTotal, partly_late_rows AS partlyLateRows,
  partly_late_rows_total AS partlyLateRowsTotal, partly_late_windows AS partlyLateWindows,
  partly_late_windows_total AS partlyLateWindowsTotal,
  state_rows AS stateRows, state_bytes AS stateBytes,
  unix_millis(next_window_end) AS nextWindowEnd
FROM {PROGRESS_TABLE}(:query, :last)
"""
"""Asks what the batches of a query did to time, with times in epoch ms."""


EXPLANATION_TABLE = "tidegate_explain_time"
"""The table function with the explanation of a query's time."""


EXPLANATION = f"SELECT sentence FROM {EXPLANATION_TABLE}(:query) ORDER BY line"


PLACE = re.compile(r"; line \d+ pos \d+")
# Names that mean the same in every literal of SQL, whatever the server's settings are.
PLAIN_NAME = re.compile(r"[\w .`-]+")
"""What Spark puts behind the sentence of an error in SQL."""


def is_connect(obj: Any) -> bool:
    """Tell whether an object of PySpark belongs to Spark Connect."""
    return type(obj).__module__.startswith("pyspark.sql.connect.")


def with_watermark(df: DataFrame, event_time: str, arguments: dict[str, Any]) -> DataFrame:
    """Call ``KEYED_WATERMARK`` on a DataFrame, which has the errors of the methods."""
    call = _Call("KEYED_WATERMARK")
    call.column(event_time)
    for name, value in arguments.items():
        argument = re.sub("([A-Z])", r"_\1", name).lower()
        if name in DESCRIBED:
            call.described(argument, *value)
        elif name == "ingestionTime":
            call.named_column(argument, value)
        else:
            call.named(argument, value)
    return call.on(df)


def order_by_event_time(
    df: DataFrame, partition_by: list[str], event_time: str | None
) -> DataFrame:
    """Call ``ORDER_BY_TIME`` on a DataFrame."""
    call = _Call("ORDER_BY_TIME")
    if event_time is not None:
        call.column(event_time)
    if partition_by:
        call.named("partition_by", partition_by)
    return call.on(df)


def tidegate_name(df: DataFrame, name: str) -> DataFrame:
    """Name the operator that makes a DataFrame."""
    return df.hint(OPERATOR_NAME, name)


def watermarks(query: Any) -> list[dict[str, Any]]:
    """Call ``tidegate_watermarks`` with the run of a query; times are in epoch ms, as on the JVM.

    A client could not read the end of time as a TIMESTAMP.
    """
    return _asked(query, WATERMARKS_TABLE, WATERMARKS)


def progress(query: Any, last: int) -> list[dict[str, Any]]:
    """Call ``tidegate_progress`` with the run of a query; times are in epoch ms, as on the JVM."""
    return _asked(query, PROGRESS_TABLE, PROGRESS, last=last)


def explain_time(query: Any) -> str:
    """Call ``tidegate_explain_time`` with the run of a query."""
    lines = _asked(query, EXPLANATION_TABLE, EXPLANATION)
    return "\n".join(line["sentence"] for line in lines)


def _asked(query: Any, function: str, statement: str, **args: Any) -> list[dict[str, Any]]:
    """Return the rows of a table function about the run of a query."""
    from pyspark.sql.connect.streaming.query import StreamingQuery

    if not isinstance(query, StreamingQuery):
        raise wrong_type("query", "a pyspark.sql.streaming.StreamingQuery", query)
    try:
        rows = query._session.sql(statement, args={"query": str(query.runId), **args})
    except AnalysisException as error:
        if _is_unknown(error, function):
            raise MissingExtensionError(NO_EXTENSION) from None
        raise
    return [row.asDict() for row in rows.collect()]


def stream_join(
    left: Any, right: Any, on: list[str] | Column, how: str, bounds: Sequence[str] | None
) -> DataFrame:
    """Join two DataFrames, and call ``BOUND_JOIN`` on the result if there are bounds."""
    joined = _join("streamJoin", left, right, on, how)
    if bounds is None:
        return joined
    time, base, lower, upper = bounds
    call = _Call("BOUND_JOIN")
    call.column(time)
    call.column(base)
    call.value(lower)
    call.value(upper)
    return call.on(joined.hint(BOUNDS_FOLLOW))


def as_of_join(
    left: Any,
    right: Any,
    on: list[str] | Column,
    left_time: str | None,
    right_time: str | None,
    how: str,
    tolerance: str | None,
) -> DataFrame:
    """Join two DataFrames, and call ``AS_OF_JOIN`` on the result."""
    joined = _join("asOfJoin", left, right, on, how)
    call = _Call("AS_OF_JOIN")
    if left_time is not None:
        call.named_column("left_time", left_time)
    if right_time is not None:
        call.named_column("right_time", right_time)
    if tolerance is not None:
        call.named("tolerance", tolerance)
    return call.on(joined.hint(BOUNDS_FOLLOW))


def _join(method: str, left: Any, right: Any, on: list[str] | Column, how: str) -> DataFrame:
    """Join two DataFrames with Spark's join; `method` is what the user has called."""
    for side, df in (("left", left), ("right", right)):
        if not isinstance(df, DataFrame):
            raise wrong_type(side, "a pyspark.sql.DataFrame", df)
    condition = [on] if isinstance(on, Column) else []
    if not all(map(is_connect, [left, right, *condition])):
        raise UnsupportedSessionError(
            MIXED.format(
                method=method,
                left=_kind(left),
                right=_kind(right),
                condition="".join(f", the condition is {_kind(c)}" for c in condition),
            )
        )
    joined: DataFrame = left.join(right, on, how)
    return joined


def _kind(obj: Any) -> str:
    return "of Spark Connect" if is_connect(obj) else "of classic PySpark"


def _remove_place(error: AnalysisException) -> None:
    """Take the place in the statement off an error: the user has not written the statement."""
    state = vars(error)
    state["_message"] = PLACE.sub("", str(state.get("_message", "")), count=1)
    state["_contexts"] = []


def _is_unknown(error: AnalysisException, function: str) -> bool:
    """Tell whether the error is about a table function that only the extension has."""
    parameters: Mapping[str, str] = error.getMessageParameters() or {}
    return (
        parameters.get("routineName") == "`DESCRIPTOR`" or parameters.get("name") == f"`{function}`"
    )


class _Call:
    """A call of a table function: its text, and the values of the parameters in it."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.arguments = ["TABLE({df})"]
        self.values: dict[str, Any] = {}

    def column(self, name: str) -> None:
        self.arguments.append(self._descriptor(name))

    def value(self, value: Any) -> None:
        self.arguments.append(self._parameter(value))

    def named(self, argument: str, value: Any) -> None:
        self.arguments.append(f"{argument} => {self._parameter(value)}")

    def named_column(self, argument: str, name: str) -> None:
        self.arguments.append(f"{argument} => {self._descriptor(name)}")

    def described(self, argument: str, name: str, *durations: str) -> None:
        values = ", ".join(map(self._parameter, durations))
        self.arguments.append(f"{argument} => {name}({values})")

    def _descriptor(self, column: str) -> str:
        """Name a column: in the text, because Spark 4.0 has no parameters there.

        A name with signs that mean something in SQL is a parameter, and needs Spark 4.1.
        """
        name = f"'{column}'" if PLAIN_NAME.fullmatch(column) else self._parameter(column)
        return f"DESCRIPTOR({name})"

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def on(self, df: DataFrame) -> DataFrame:
        text = f"SELECT * FROM {self.function}({', '.join(self.arguments)})"
        try:
            return df.sparkSession.sql(text, args=self.values, df=df)
        except AnalysisException as error:
            if _is_unknown(error, self.function):
                raise MissingExtensionError(NO_EXTENSION) from None
            _remove_place(error)
            raise
