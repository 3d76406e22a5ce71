"""Each example runs as a process, as a user runs it, and prints what it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from pyspark.sql import SparkSession

from sparks import SPARK
from tidegate.testing import StreamTest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BUILD = ROOT / "build"

sys.path.append(str(EXAMPLES))
import sql_only  # noqa: E402

only_on_42 = pytest.mark.skipif(SPARK != (4, 2), reason="the build has these jars for Spark 4.2")


@pytest.fixture(autouse=True)
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give Spark the Python of this environment, which has the wheel."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


def run(name: str, folder: Path, *arguments: str | Path) -> list[list[str]]:
    """Run an example, and return the rows of the tables that it prints, with their headings."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        pytest.fail(f"{name} failed:\n{done.stdout}\n{done.stderr}")
    return rows(done.stdout)


def rows(text: str) -> list[list[str]]:
    lines = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    others = re.findall(r"^Orders are .*$", text, re.MULTILINE)
    return [[cell.strip() for cell in line.split("|")] for line in lines] + [[o] for o in others]


def window(start: str, end: str) -> str:
    return f"{{2026-01-01 {start}:00, 2026-01-01 {end}:00}}"


def notebook() -> Any:
    return nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)  # type: ignore[no-untyped-call]


@pytest.mark.at_night
def test_lagging_folder_when_run_then_only_spark_loses_orders_of_the_shop_behind(
    tmp_path: Path,
) -> None:
    assert run("lagging_folder.py", tmp_path) == [
        ["shop", "written", "tidegate", "spark"],
        ["a", "360", "360", "360"],
        ["b", "360", "360", "120"],
    ]


def test_sql_only_when_shop_b_is_behind_then_each_window_waits_for_it(
    stream_test: StreamTest,
) -> None:
    stream_test.input("ticks", "timestamp TIMESTAMP, value LONG")
    query = stream_test.start(lambda: sql_only.counts(SparkSession.active()))

    for minute in range(5):
        time = f"2026-01-01 12:{minute:02}:00"
        stream_test.feed("ticks", [(time, 120 * minute + n) for n in range(120)])

    expected = {"11:56": 0, "11:57": 0, "11:58": 0, "11:59": 60}
    query.assertEmitted(
        [
            {
                "window_start": f"2026-01-01 {start}:00",
                "orders_of_a": a,
                "orders_of_b": 60 if start == "11:56" else 120,
            }
            for start, a in expected.items()
        ]
    )


@pytest.mark.at_night
def test_sql_only_when_run_then_each_window_has_the_orders_of_both_shops(tmp_path: Path) -> None:
    header, *found = run("sql_only.py", tmp_path)

    assert header == ["window_start", "window_end", "orders_of_a", "orders_of_b"]
    assert [line[0][11:16] for line in found] == [
        "11:56", "11:57", "11:58", "11:59", "12:00", "12:01",
    ]  # fmt: skip
    assert [(int(a), int(b)) for _, _, a, b in found] == [
        (0, 60), (0, 120), (0, 120), (60, 120), (120, 120), (120, 120),
    ]  # fmt: skip


@pytest.mark.at_night
def test_connect_client_when_run_then_windows_and_the_watermark_come_from_the_server(
    tmp_path: Path,
) -> None:
    *found, complete = run("connect_client.py", tmp_path)

    assert found == [
        ["window", "count"],
        [window("11:57", "11:58"), "60"],
        [window("11:58", "11:59"), "60"],
        [window("11:59", "12:00"), "60"],
        [window("12:00", "12:01"), "120"],
        [window("12:01", "12:02"), "120"],
    ]
    assert re.fullmatch(r"Orders are complete up to \d\d:\d\d:\d\d", complete[0])


@pytest.mark.at_night
@only_on_42
def test_delta_table_when_run_then_only_spark_loses_orders(tmp_path: Path) -> None:
    header, *found = run("delta_table.py", tmp_path, "--jars", BUILD / "delta")

    assert header == ["start", "orders", "tidegate", "spark"]
    assert [line[1] for line in found] == [line[2] for line in found]
    assert [line[0][11:16] for line in found if line[3] not in (line[1], "NULL")] == [
        "12:00", "12:01", "12:02",
    ]  # fmt: skip


@pytest.mark.at_night
@only_on_42
def test_kafka_join_when_run_on_its_own_broker_then_only_spark_loses_orders(
    tmp_path: Path,
) -> None:
    header, tidegate, again, spark = run("kafka_join.py", tmp_path, "--jars", BUILD / "kafka")

    assert header == again == ["watermark", "orders", "delivered"]
    assert tidegate == ["tidegate", "600", "300"]
    assert spark[0] == "spark"
    assert 300 <= int(spark[1]) < 600 and 150 <= int(spark[2]) < 300


def test_kafka_join_when_there_is_no_broker_then_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "kafka_join.py", "--jars", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 2
    assert f"There are no Kafka jars in {tmp_path}" in done.stderr
    assert done.stderr.endswith("Or name a broker with --bootstrap-servers.\n")


@pytest.mark.at_night
def test_notebook_when_run_then_shows_windows_watermarks_and_a_picture(tmp_path: Path) -> None:
    run = notebook()
    nbformat.validate(run)

    NotebookClient(
        run, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()

    by_cell = {cell.id: cell.get("outputs", []) for cell in run.cells}
    text = "".join(o.text for o in by_cell["queries"] if o.get("name") == "stdout")
    assert [window("12:00", "12:01"), "120", "60"] in rows(text)
    (shown,) = by_cell["watermarks"]
    assert shown.data["text/html"].startswith('<table class="tidegate-watermarks">')
    assert ">orders</td>" in shown.data["text/html"]
    assert any("image/png" in o.get("data", {}) for o in by_cell["draw"])


def test_notebook_when_stored_then_has_no_outputs() -> None:
    assert [c.id for c in notebook().cells if c.cell_type == "code" and c.outputs] == []
