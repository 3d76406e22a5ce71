"""Errors that Tidegate raises before a call reaches the JVM.

Errors of the query itself, raised while Spark analyzes it, arrive as
:class:`pyspark.errors.AnalysisException`. Arguments of a wrong type or value are a ``TypeError`` or
``ValueError``.
"""


class TidegateError(RuntimeError):
    """The base class of the errors that Tidegate's Python package raises."""


class MissingJarError(TidegateError):
    """Spark runs without the Tidegate jar, or there is no jar for this PySpark."""


class MissingExtensionError(TidegateError):
    """Spark, or a Spark Connect server, runs without Tidegate's session extension."""


class UnsupportedSessionError(TidegateError):
    """The call does not work in this kind of Spark session, such as Spark Connect."""
