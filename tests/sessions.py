"""Spark as the tests start it: with the installed wheel, and set up for batches of a few rows."""

from pathlib import Path

from pyspark.sql import SparkSession

import tidegate

DIRECT_FILES = Path(__file__).parent.parent / "build" / "direct-files"
"""Classes of the JVM tests, brought by `make build/direct-files/.ready`."""

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    # Code that does not compile fails the test instead of running interpreted.
    "spark.sql.codegen.fallback": "false",
    # More generated code than the 100 stages that Spark keeps by default.
    "spark.sql.codegen.cache.maxEntries": "5000",
    # Else tasks ask the driver for each class, anew for each query.
    "spark.sql.artifact.isolation.enabled": "false",
    # One task is enough for a few rows.
    "spark.sql.shuffle.partitions": "1",
    # A small batch spends most of its time on files. Hadoop starts a process for every file whose
    # permissions it sets or asks for; these classes do not.
    "spark.driver.extraClassPath": str(DIRECT_FILES),
    "spark.executor.extraClassPath": str(DIRECT_FILES),
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "tidegate.DirectFiles",
    "spark.hadoop.fs.file.impl": "tidegate.DirectLocalFileSystem",
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    "spark.sql.streaming.stateStore.maintenanceInterval": "1h",
    # No other application has the checkpoints of the tests.
    "spark.tidegate.adopt.watch": "0 seconds",
}


def builder(master: str = "local[2]") -> SparkSession.Builder:
    """Return a builder with the settings of all sessions; call `tidegate.configure` on it."""
    check()
    builder = SparkSession.builder.master(master)
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    return builder


def check() -> None:
    """Fail if a session would not have what the tests need."""
    assert "site-packages" in tidegate.__file__, "the tests are about the installed wheel"
    assert DIRECT_FILES.is_dir(), "no direct files yet: run make build/direct-files/.ready"
