"""The gauges of a query on the page of Spark's UI for Prometheus, with the settings of the docs."""

import re
from pathlib import Path

import pytest

from submits import EXTENSION, submit

PAGE = Path(__file__).parent.parent / "docs" / "monitoring.md"

SCRIPT = """
import sys
import urllib.request

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import tidegate

builder = SparkSession.builder.config("spark.ui.enabled", "true").config("spark.ui.port", "0")
spark = builder.getOrCreate()
folder = sys.argv[1]
spark.sql("select timestamp '2026-01-01 12:00:00' as time").write.json(folder + "/rows")
rows = spark.readStream.schema("time timestamp").json(folder + "/rows")
keyed = tidegate.withKeyedWatermark(rows, "time", "5 seconds", name="orders")
counts = keyed.groupBy(F.window("time", "1 minute")).count()
query = counts.writeStream.format("noop").queryName("hourly").start()
query.processAllAvailable()
with urllib.request.urlopen(spark.sparkContext.uiWebUrl + "/metrics/prometheus") as page:
    print(page.read().decode())
query.stop()
"""


@pytest.mark.at_night
def test_page_for_prometheus_when_set_up_as_documented_then_has_the_gauges_of_a_query(
    tmp_path: Path,
) -> None:
    settings = re.findall(r"^--conf (spark\S+)$", PAGE.read_text(), re.MULTILINE)
    assert len(settings) == 4

    options = [word for setting in settings for word in ("--conf", setting)]
    done = submit(tmp_path, SCRIPT, *EXTENSION, *options)

    if done.returncode != 0:
        pytest.fail(f"spark-submit failed:\n{done.stdout}\n{done.stderr}")
    prefix = "metrics_orders_app_driver_spark_streaming_hourly_tidegate_"
    found = dict(
        line.removeprefix(prefix).split('_Value{type="gauges"} ')
        for line in done.stdout.splitlines()
        if line.startswith(prefix) and "_Value{" in line
    )
    assert int(found.pop("orders_watermarkLagMs")) > 0
    assert found == {
        "orders_heldBackMs": "0",
        "orders_activeSubstreams": "1",
        "orders_idleSubstreams": "0",
        "orders_unreadSubstreams": "0",
        "orders_futureEvents": "0",
        "aggregate_lateRows": "0",
        "aggregate_partlyLateRows": "0",
    }
