"""The tab "Event time" of a running application and of the history server, without a browser."""

import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from histories import history_server
from submits import EXTENSION, submit

SCRIPT = """
import sys
import urllib.error
import urllib.request

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import tidegate

builder = SparkSession.builder.config("spark.ui.enabled", "true").config("spark.ui.port", "0")
folder = sys.argv[1]
builder = builder.config("spark.eventLog.enabled", "true")
spark = builder.config("spark.eventLog.dir", "file://" + folder + "/log").getOrCreate()
spark.sql("select timestamp '2026-01-01 12:00:00' as time").write.json(folder + "/rows")
rows = spark.readStream.schema("time timestamp").json(folder + "/rows")
keyed = tidegate.withKeyedWatermark(rows, "time", "5 seconds", name="orders")
counts = keyed.groupBy(F.window("time", "1 minute")).count()
query = counts.writeStream.format("noop").queryName("hourly").start()
query.processAllAvailable()
pages = ["", "static/event-time.css", "static/event-time.js", "query/?run=" + query.runId]
for page in pages + ["query/json?run=" + query.runId]:
    with urllib.request.urlopen(spark.sparkContext.uiWebUrl + "/EventTime/" + page) as answer:
        print("page", page, answer.headers["Content-Type"], answer.read().decode())
# Without the slash, the server sends one on to the address with it.
base = spark.sparkContext.uiWebUrl + "/EventTime/"
for page in ["", "static/event-time.css/", "query/?run=" + query.runId, "query/json/"]:
    for method in ["POST", "PUT", "DELETE", "TRACE"]:
        try:
            urllib.request.urlopen(urllib.request.Request(base + page, method=method))
            print("answers", method, page)
        except urllib.error.HTTPError as error:
            assert error.code == 405, (page, method, error.code)
query.stop()
print("application", spark.sparkContext.applicationId, query.runId)
"""


@pytest.mark.at_night
def test_pages_when_asked_for_then_are_there_while_the_application_runs_and_in_the_history(
    tmp_path: Path,
) -> None:
    (tmp_path / "log").mkdir()
    done = submit(tmp_path, SCRIPT, *EXTENSION)

    if done.returncode != 0:
        pytest.fail(f"spark-submit failed:\n{done.stdout}\n{done.stderr}")
    # Nothing that the tab serves changes anything.
    assert "\nanswers " not in done.stdout
    first, css, script, query, json = done.stdout.split("\npage ")[-5:]
    assert ">hourly</a>" in first
    assert css.startswith("static/event-time.css text/css;charset=utf-8")
    assert script.startswith("static/event-time.js text/javascript;charset=utf-8")
    assert "<h4>hourly <span" in query and 'id="tg-flow"' in query
    assert '"heldBackBy"' in json
    (application, run) = done.stdout.splitlines()[-1].removeprefix("application ").split()
    with history_server(tmp_path / "log") as address:
        base = f"{address}/history/{application}/EventTime"
        assert ">hourly</a>" in page(f"{base}/")
        assert "ended" in page(f"{base}/query/?run={run}")
        assert page(f"{base}/static/event-time.css") == css.split("utf-8 ", 1)[1]


def page(address: str) -> str:
    """Fetch a page of the server, which looks at its folder once a second."""
    for _ in range(60):
        try:
            with urlopen(address) as answer:
                return str(answer.read().decode())
        except HTTPError as error:
            if error.code != 404:
                raise
        time.sleep(1)
    pytest.fail(f"The server does not have {address}.")
