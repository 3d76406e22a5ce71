"""The way to the JVM, and the only file that knows there is one.

Everything goes through one Scala class, ``tidegate.PythonFacade``, loaded through the context class
loader of the calling thread: that is where Spark puts jars from ``--jars`` and ``spark.jars``.
"""

from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import Column, DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from tidegate._arguments import wrong_type
from tidegate.errors import MissingJarError, UnsupportedSessionError

FACADE = "tidegate.PythonFacade"

NO_JAR = (
    "Spark runs without the Tidegate jar on its classpath. Create the session with "
    "tidegate.configure(SparkSession.builder).getOrCreate(), or start Spark with "
    "--jars <the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions."
)

CONNECT = (
    "{what} needs classic PySpark, and this is a Spark Connect session, which has no py4j. On a "
    "Spark Connect server that runs with the Tidegate extension use SQL, which does the same: "
    "{sql}."
)

WATERMARK_SQL = (
    'spark.sql("SELECT * FROM IMPOSE_ORDER(TABLE({df}), DESCRIPTOR(order_time), '
    "INTERVAL '5' SECONDS)\", df=df)"
)

JOIN_SQL = (
    'spark.sql("SELECT * FROM {left} l JOIN {right} r ON l.order_id = r.order_id AND '
    "r.delivery_time BETWEEN l.order_time AND l.order_time + INTERVAL '10' MINUTES\", "
    "left=left, right=right)"
)


def running() -> Any | None:
    """Return the py4j view of the JVM of this process, or None if none was started."""
    return SparkContext._jvm


def has_facade(jvm: Any) -> bool:
    """Tell whether the Tidegate jar is on the classpath of a JVM."""
    try:
        _facade_class(jvm)
    except Py4JJavaError:
        return False
    return True


def facade() -> Any:
    """Return a new facade, or raise an error that says how to get the jar onto the classpath."""
    jvm = running()
    if jvm is None:
        raise MissingJarError(NO_JAR)
    try:
        return _facade_class(jvm).newInstance()
    except Py4JJavaError as error:
        if "ClassNotFoundException" in str(error.java_exception):
            raise MissingJarError(NO_JAR) from None
        raise


def java_dataframe(df: Any, what: str, argument: str = "df") -> Any:
    """Return the JVM's side of a DataFrame; `what` is the function that needs it."""
    if is_connect(df):
        raise _no_connect(what)
    if not isinstance(df, DataFrame):
        raise wrong_type(argument, "a pyspark.sql.DataFrame", df)
    return df._jdf


def java_column(column: Column, what: str) -> Any:
    """Return the JVM's side of a column; `what` is the function that needs it."""
    if is_connect(column):
        raise _no_connect(what)
    return column._jc


def java_query(query: Any, what: str) -> Any:
    """Return the JVM's side of a streaming query; `what` is the function that needs it."""
    if is_connect(query):
        raise _no_connect(what)
    if not isinstance(query, StreamingQuery):
        raise wrong_type("query", "a pyspark.sql.streaming.StreamingQuery", query)
    return query._jsq


def is_connect(obj: Any) -> bool:
    """Tell whether an object of PySpark belongs to Spark Connect."""
    return type(obj).__module__.startswith("pyspark.sql.connect.")


def _no_connect(what: str) -> UnsupportedSessionError:
    sql = JOIN_SQL if what == "streamJoin" else WATERMARK_SQL
    return UnsupportedSessionError(CONNECT.format(what=what, sql=sql))


def _facade_class(jvm: Any) -> Any:
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    return loader.loadClass(FACADE)
