"""Calls to the JVM. Other files do not use py4j.

All calls go to one Scala class, ``tidegate.PythonFacade``, loaded through the context class loader
of the calling thread: Spark gives that loader the jars from ``--jars`` and ``spark.jars``. On Spark
Connect there is no JVM, and ``_connect.py`` takes the place of this file. The package
``pyspark-client`` has neither py4j nor a ``SparkContext``: this file can be imported all the same.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

from tidegate._arguments import wrong_type
from tidegate._connect import is_connect
from tidegate.errors import MissingJarError, UnsupportedSessionError

try:
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkContext
except ImportError:
    IS_CLASSIC = False
else:
    IS_CLASSIC = True

FACADE = "tidegate.PythonFacade"

# Told how many bytes were copied, and of how many.
Progress: TypeAlias = Callable[[int, int], object]
PROGRESS_SECONDS = 0.5

# How wide a column of a table may be.
TABLE_CHARS = 60

NO_JAR = (
    "Spark runs without the Tidegate jar on its classpath. Create the session with "
    "tidegate.configure(SparkSession.builder).getOrCreate(), or start Spark with "
    "--jars <the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions."
)

NO_CLASSIC = (
    "This call needs classic PySpark, and only its client for Spark Connect is installed, which "
    'has no py4j. Install classic PySpark in another environment: pip install "tidegate[spark]".'
)

NO_ADOPTION = (
    "adopt needs classic PySpark, and this is a query of Spark Connect, which has no py4j. "
    "Start the query on a server with spark.tidegate.adoptCheckpoint=true."
)

NO_EXPORT = (
    "A snapshot of a query needs classic PySpark, and this is a query of Spark Connect, which has "
    "no py4j. Export the checkpoint of the query on its cluster: "
    "python -m tidegate snapshot export CHECKPOINT PATH."
)

NO_COMPATIBILITY = (
    "checkCompatibility needs classic PySpark, and this is a DataFrame of Spark Connect, which has "
    "no py4j. Run the check in a classic session that can read the checkpoint."
)


def context() -> "SparkContext | None":
    """Return the SparkContext that runs in this process."""
    return SparkContext._active_spark_context if IS_CLASSIC else None


def running() -> Any | None:
    """Return the py4j view of the JVM of this process, or None if none was started."""
    return SparkContext._jvm if IS_CLASSIC else None


def has_facade(jvm: Any) -> bool:
    """Tell whether the Tidegate jar is on the classpath of a JVM."""
    try:
        _facade_class(jvm)
    except Py4JJavaError:
        return False
    return True


def facade() -> Any:
    """Return a new facade, or raise an error that says how to get the jar onto the classpath."""
    if not IS_CLASSIC:
        raise UnsupportedSessionError(NO_CLASSIC)
    jvm = running()
    if jvm is None:
        raise MissingJarError(NO_JAR)
    try:
        return _facade_class(jvm).newInstance()
    except Py4JJavaError as error:
        if "ClassNotFoundException" in str(error.java_exception):
            raise MissingJarError(NO_JAR) from None
        raise


def with_watermark(df: Any, event_time: str, arguments: dict[str, Any]) -> DataFrame:
    """Call the facade's method of this name."""
    java_df = _java_dataframe("df", df)
    return DataFrame(facade().withWatermark(java_df, event_time, arguments), df.sparkSession)


def stream_join(
    left: Any, right: Any, on: list[str] | Column, how: str, bounds: list[str] | None
) -> DataFrame:
    """Call the facade's method of this name."""
    java_left, java_right = _java_dataframe("left", left), _java_dataframe("right", right)
    names, condition = (None, on._jc) if isinstance(on, Column) else (on, None)
    joined = facade().streamJoin(java_left, java_right, names, condition, how, bounds)
    return DataFrame(joined, left.sparkSession)


def as_of_join(
    left: Any,
    right: Any,
    on: list[str] | Column,
    left_time: str | None,
    right_time: str | None,
    how: str,
    tolerance: str | None,
) -> DataFrame:
    """Call the facade's method of this name."""
    java_left, java_right = _java_dataframe("left", left), _java_dataframe("right", right)
    names, condition = (None, on._jc) if isinstance(on, Column) else (on, None)
    joined = facade().asOfJoin(
        java_left, java_right, names, condition, left_time, right_time, how, tolerance
    )
    return DataFrame(joined, left.sparkSession)


def order_by_event_time(df: Any, partition_by: list[str], event_time: str | None) -> DataFrame:
    """Call the facade's method of this name."""
    java_df = _java_dataframe("df", df)
    return DataFrame(facade().orderByEventTime(java_df, partition_by, event_time), df.sparkSession)


def tidegate_name(df: Any, name: str) -> DataFrame:
    """Call the facade's method of this name."""
    java_df = _java_dataframe("df", df)
    return DataFrame(facade().tidegateName(java_df, name), df.sparkSession)


def adopt(checkpoint: str, query: Any, output_mode: str | None) -> int | None:
    """Call the facade's method of this name; a query has an output mode, a DataFrame has none."""
    if is_connect(query):
        raise UnsupportedSessionError(NO_ADOPTION)
    if isinstance(query, StreamingQuery):
        of_query: int | None = facade().adopt(checkpoint, query._jsq)
        return of_query
    if not isinstance(query, DataFrame):
        wanted = "a pyspark.sql.DataFrame or a pyspark.sql.streaming.StreamingQuery"
        raise wrong_type("query", wanted, query)
    watermark: int | None = facade().adopt(checkpoint, query._jdf, output_mode or "append")
    return watermark


def release(checkpoint: str) -> int | None:
    """Call the facade's method of this name."""
    watermark: int | None = facade().release(checkpoint)
    return watermark


def mark_for_adoption(checkpoint: str) -> None:
    """Call the facade's method of this name."""
    facade().markForAdoption(checkpoint)


def export_of_query(query: Any, path: str, cancel: bool, progress: Progress | None) -> str:
    """Export a running query, and return what was written, as JSON."""
    if is_connect(query):
        raise UnsupportedSessionError(NO_EXPORT)
    java = java_query(query)
    export = facade().snapshotExport(java, path)
    if cancel:
        return _followed(lambda: facade().cancelAndRun(export, java), export, progress)
    return _followed(lambda: facade().run(export), export, progress)


def export_of_checkpoint(
    checkpoint: str, path: str, output: str | None, progress: Progress | None
) -> str:
    """Export a checkpoint, and return what was written, as JSON."""
    export = facade().snapshotExport(checkpoint, path, output)
    return _followed(lambda: facade().run(export), export, progress)


def start_snapshot(
    snapshot: str, checkpoint: str, output: str | None, progress: Progress | None
) -> str:
    """Make a checkpoint of a snapshot, and return the id of its query."""
    start = facade().snapshotStart(snapshot, checkpoint, output)
    return _followed(lambda: facade().run(start), start, progress)


def verify_snapshot(path: str) -> str:
    """Call the facade's method of this name."""
    return str(facade().verifySnapshot(path))


def inspect_snapshot(path: str, count_rows: bool) -> tuple[str, DataFrame]:
    """Return the inspection as JSON, and its stages."""
    inspection = facade().inspectSnapshot(path, count_rows)
    session = SparkSession.active()
    return inspection.json(), DataFrame(inspection.toDF(session._jsparkSession), session)


def table(df: DataFrame, rows: int) -> str:
    """Return the first rows of a DataFrame as a table, in which long texts are cut."""
    return str(df._jdf.showString(rows, TABLE_CHARS, False))


def snapshots(path: str, keep: int | None) -> str:
    """Call the facade's method of this name."""
    return str(facade().snapshots(path, keep))


def check_compatibility(path: str, query: Any, output_mode: str) -> str:
    """Call the facade's method of this name."""
    if is_connect(query):
        raise UnsupportedSessionError(NO_COMPATIBILITY)
    java_df = _java_dataframe("query", query)
    return str(facade().checkCompatibility(path, java_df, output_mode))


def _followed(run: Callable[[], str], copy: Any, progress: Progress | None) -> str:
    """Run a copy; with `progress`, in another thread, and tell how far the copy is."""
    if progress is None:
        return run()
    bytes_so_far = copy.progress()
    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(run)
        while not wait([result], timeout=PROGRESS_SECONDS).done:
            progress(bytes_so_far.copiedBytes(), bytes_so_far.totalBytes())
        progress(bytes_so_far.copiedBytes(), bytes_so_far.totalBytes())
        return result.result()


def async_arguments(
    df: Any, schema: str, timeout: str | None, on_error: str
) -> tuple[StructType, int | None, StructType]:
    """Return the output schema, the timeout in ms, and the columns that tell of the calls.

    The facade has read and checked them.
    """
    java_df = _java_dataframe("df", df)
    read = json.loads(facade().asyncArguments(java_df, schema, timeout, on_error))
    schemas = StructType.fromJson(read["schema"]), StructType.fromJson(read["calls"])
    return schemas[0], read["timeoutMs"], schemas[1]


def map_async(df: Any, mapped: Any, function: str, dead_letters: str | None) -> DataFrame:
    """Call the facade's method of this name."""
    java_df, java_mapped = _java_dataframe("df", df), _java_dataframe("mapped", mapped)
    return DataFrame(
        facade().mapAsync(java_df, java_mapped, function, dead_letters), df.sparkSession
    )


def java_query(query: Any) -> Any:
    """Return the Java object behind a streaming query."""
    if not isinstance(query, StreamingQuery):
        raise wrong_type("query", "a pyspark.sql.streaming.StreamingQuery", query)
    return query._jsq


def _java_dataframe(argument: str, df: Any) -> Any:
    if not isinstance(df, DataFrame):
        raise wrong_type(argument, "a pyspark.sql.DataFrame", df)
    return df._jdf


def _facade_class(jvm: Any) -> Any:
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    return loader.loadClass(FACADE)
