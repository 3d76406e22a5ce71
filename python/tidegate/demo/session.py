"""The embedded Spark of the demonstrations."""

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

import tidegate


def settings() -> dict[str, str]:
    """Return the settings of every Spark: small batches, no user interface, no log messages."""
    logging = (Path(__file__).parent / "log4j2.properties").as_uri()
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging}",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
    }


def session(name: str, jars: Iterable[Path] = ()) -> SparkSession:
    """Start an embedded Spark with Tidegate, without user interface and log messages."""
    builder = (
        SparkSession.builder.appName(name)
        .master("local[*]")
        .config("spark.jars", ",".join(str(jar) for jar in jars))
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    )
    for key, value in settings().items():
        builder = builder.config(key, value)
    return tidegate.configure(builder).getOrCreate()
