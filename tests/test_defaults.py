"""The defaults of Python and of Scala are the same."""

from pyspark.sql import SparkSession

from tidegate import _defaults, _jvm


def test_defaults_when_left_out_then_are_those_of_scala(spark: SparkSession) -> None:
    assert dict(_jvm.facade().defaults()) == {
        "idleTimeout": _defaults.IDLE_TIMEOUT,
        "ingestionTime": _defaults.INGESTION_TIME,
        "maxIdleLag": _defaults.MAX_IDLE_LAG,
        "timeout": _defaults.TIMEOUT,
        "maxInFlight": str(_defaults.MAX_IN_FLIGHT),
        "retries": str(_defaults.RETRIES),
        "breakAfter": str(_defaults.BREAK_AFTER),
    }
