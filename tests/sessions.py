"""Spark as the tests start it, with the installed wheel."""

from pyspark.sql import SparkSession

import tidegate


def builder(master: str = "local[2]") -> SparkSession.Builder:
    """Set what all sessions have; `tidegate.configure` is left to do."""
    assert "site-packages" in tidegate.__file__, "the tests are about the installed wheel"
    return (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    )
