"""The demonstration of moving in: its verdict, its picture and its refusals, without a JVM."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tidegate.__main__ import main
from tidegate.demo.adopt.checkpoint import last_watermark
from tidegate.demo.adopt.command import LAGGING, orders
from tidegate.demo.adopt.picture import draw
from tidegate.demo.adopt.submission import JOB, JobError, submitted
from tidegate.demo.adopt.verdict import Emitted, judge
from tidegate.demo.compare import Expected

EXPECTED = Expected({0: (10, 100), 10: (20, 100), 20: (30, 80), 30: (40, 7)}, 287)
ADOPTED = 25
BEFORE = [(0, 90)]
AFTER = [(0, 90), (10, 95), (20, 80), (30, 7)]


def test_verdict_when_each_window_is_there_once_then_is_good() -> None:
    verdict = judge(EXPECTED, ADOPTED, BEFORE, AFTER)

    assert verdict.is_good
    assert verdict.table() == (
        "windows closed by  windows  rows in  rows counted  rows dropped  wrong\n"
        "----------------------------------------------------------------------\n"
        "Spark                    2      200           185            15      2\n"
        "Tidegate                 2       87            87             0      0"
    )
    assert verdict.sentences() == [
        "Windows in the sink when the job was stopped: 1, of them changed since: 0.",
        "Windows lost: 0. Windows that came twice: 0. Windows without rows: 0.",
        "Good: each window is there once, and each that Tidegate has closed is right.",
    ]


@pytest.mark.parametrize(
    ("after", "fault"),
    [
        ([(0, 91), *AFTER[1:]], {"changed": 1}),
        (AFTER[1:], {"changed": 1, "missing": 1}),
        (AFTER[:2] + AFTER[3:], {"missing": 1, "wrong": 1}),
        ([*AFTER, AFTER[1]], {"twice": 1}),
        # With another count, the second one still leaves the first as it was.
        ([(0, 10), *AFTER], {"twice": 1}),
        ([*AFTER, (40, 1)], {"unknown": 1}),
        ([*AFTER[:2], (20, 79), AFTER[3]], {"wrong": 1}),
        ([], {"changed": 1, "missing": 4, "wrong": 2}),
    ],
)
def test_verdict_when_a_window_is_not_as_it_should_be_then_says_which_way(
    after: Emitted, fault: dict[str, int]
) -> None:
    verdict = judge(EXPECTED, ADOPTED, BEFORE, after)

    names = ("changed", "missing", "twice", "unknown")
    found = {name: getattr(verdict, name) for name in names} | {"wrong": verdict.tidegate.wrong}
    assert {name: number for name, number in found.items() if number} == fault
    assert not verdict.is_good
    assert verdict.sentences()[-1] == "Not good: see the numbers above that are not 0."
    assert replace(verdict, changed=0, missing=0, twice=0, unknown=0).is_good == (
        "wrong" not in fault
    )


def test_picture_when_drawn_then_is_a_png_also_without_any_window(tmp_path: Path) -> None:
    start = 1_767_268_800_000
    expected = Expected(
        {start + w: (start + w + 10, n) for w, (_, n) in EXPECTED.windows.items()}, 0
    )
    for number, windows in enumerate([[(start, 90), (start + 30, 7), (start + 50, 1)], []]):
        path = tmp_path / f"{number}.png"
        draw(expected if windows else Expected({}, 0), start + ADOPTED, windows, path)
        assert path.read_bytes().startswith(b"\x89PNG")


def test_watermark_when_read_from_a_checkpoint_then_is_that_of_the_last_batch(
    tmp_path: Path,
) -> None:
    (tmp_path / "offsets").mkdir()
    for batch, watermark in ((9, 900), (10, 1000)):
        metadata = json.dumps({"batchWatermarkMs": watermark})
        (tmp_path / "offsets" / str(batch)).write_text(f'v1\n{metadata}\n{{"orders":{{"0":5}}}}')
        (tmp_path / "offsets" / f".{batch}.crc").write_text("")

    assert last_watermark(tmp_path) == 1000


def test_orders_when_made_then_one_partition_is_minutes_behind_to_the_end() -> None:
    log = orders(4_000)

    last = {row.partition: row.time for row in log.rows}
    assert sorted(last) == [0, 1, 2, 3] == [row.partition for row in log.end]
    assert log.whole().windows.keys() == {
        round(row.time.timestamp()) // 10 * 10_000 for row in log.rows if row.partition != LAGGING
    }
    assert log.added_at is None and log.partitions == 4
    assert 280 < (last[0] - last[LAGGING]).total_seconds() < 320


def test_job_when_read_then_knows_nothing_of_tidegate() -> None:
    code = JOB.read_text().partition('"""\n\n')[2]

    assert "withWatermark" in code
    assert not re.search("tidegate|keyed", code, re.IGNORECASE)


def test_job_when_it_ends_by_itself_then_shows_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = tmp_path / "bin" / "spark-submit"
    submit.parent.mkdir()
    submit.write_text("#!/bin/sh\necho out of order >&2\nexit 3\n")
    submit.chmod(0o755)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))

    with pytest.raises(JobError) as error, submitted([], [], {}, tmp_path / "log") as job:
        while True:
            job.check()

    assert str(error.value) == "The job has ended with code 3:\nout of order"


def test_demo_when_there_are_no_jars_then_names_the_folder_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo-adopt", "--jars", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(
        f"There are no Kafka jars in {tmp_path} (looked for the folder broker). Run "
        "`make build/kafka/.ready` in a clone of the project"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rows", "999"], "--rows must be at least 1000, found 999."),
        (["--timeout", "nan"], "--timeout must be above 0, found nan."),
    ],
)
def test_demo_when_an_option_is_not_usable_then_says_so(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["demo-adopt", *arguments])

    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")
