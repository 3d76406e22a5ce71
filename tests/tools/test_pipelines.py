"""A declarative pipeline, as the page on SQL tools has it."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow.dataset
import pytest

import sparks
from tools import pages
from tools.shell import Shell

NOON = datetime(2026, 1, 1, 12)


@pytest.mark.at_night
@sparks.since(1, "declarative pipelines")
def test_pipeline_when_it_has_windows_in_sql_and_python_then_they_close(shell: Shell) -> None:
    run, *files = pages.blocks("Declarative pipelines")
    # With as many settings as this file has, PySpark may lose those of the command.
    shell.settings.unlink()
    for file in files:
        assert file.file is not None
        write(shell.folder / file.file, file.code.replace("/data/orders", str(shell.folder)))
    rows = [{"id": s, "order_time": f"2026-01-01T12:00:{s:02}Z"} for s in (1, 4, 7, 30)]
    write(shell.folder / "incoming" / "rows.json", "\n".join(map(json.dumps, rows)))

    shell.output(run.code)

    assert table(shell.folder, "tumbled") == [(0, 2), (5, 1)]
    assert table(shell.folder, "hopped") == [(-5, 2), (0, 3), (5, 1)]
    assert table(shell.folder, "counted") == [(0, 2), (5, 1)]
    assert table(shell.folder, "counted_again") == [(0, 2), (5, 1)]


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


def table(folder: Path, name: str) -> list[tuple[int, int]]:
    """Return the windows of a table: the start in seconds after noon, and the count."""
    found = pyarrow.dataset.dataset(folder / "spark-warehouse" / name).to_table().to_pylist()
    windows = [tuple(row.values()) for row in found]
    return sorted(
        ((start.replace(tzinfo=None) - NOON) // timedelta(seconds=1), count)
        for start, count in windows
    )
