"""The embedded Spark of the demonstrations."""

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

import tidegate


def session(name: str, jars: Iterable[Path] = ()) -> SparkSession:
    """Start an embedded Spark with Tidegate, without user interface and log messages."""
    logging = (Path(__file__).parent / "log4j2.properties").as_uri()
    builder = (
        SparkSession.builder.appName(name)
        .master("local[*]")
        .config("spark.jars", ",".join(str(jar) for jar in jars))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={logging}")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    )
    return tidegate.configure(builder).getOrCreate()
