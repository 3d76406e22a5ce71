"""`make demo-adopt` with few rows, on a broker and with a job that it starts and kills itself."""

import re
import signal
from pathlib import Path

import pytest

from kafka.demos import TIMEOUT_SECONDS, assert_nothing_is_left, demo

FEW = ("--rows", "2000", "--output", "pictures")
NUMBER = r"([\d,]+)"


@pytest.mark.at_night
def test_demo_when_run_then_no_window_is_lost_or_comes_twice_and_tidegate_drops_no_row(
    tmp_path: Path,
) -> None:
    with demo(tmp_path, "demo-adopt", *FEW) as process:
        out, err = process.communicate(timeout=2 * TIMEOUT_SECONDS)

    assert process.returncode == 0, out + err
    rows = {
        words[0]: [int(word.replace(",", "")) for word in words[1:]]
        for words in map(str.split, out.splitlines())
        if words[:1] in (["Spark"], ["Tidegate"])
    }
    windows, read, counted, dropped, wrong = rows["Spark"]
    assert windows >= wrong > 0 and read - counted == dropped > 0
    windows, read, counted, dropped, wrong = rows["Tidegate"]
    assert windows > 0 and read == counted > 0 and dropped == wrong == 0
    assert f"with {rows['Spark'][1] + read:,} orders of 20 minutes" in out
    assert re.search(rf"^   Killed\. Spark reports {NUMBER} rows dropped by its", out, re.MULTILINE)
    kept = re.search(rf"when the job was stopped: {NUMBER}, of them changed since: 0\.", out)
    assert kept is not None and kept[1] != "0"
    assert "Windows lost: 0. Windows that came twice: 0. Windows without rows: 0.\nGood: " in out
    assert "\x1b" not in out
    assert (tmp_path / "pictures" / "adopt.png").read_bytes().startswith(b"\x89PNG")
    assert_nothing_is_left(tmp_path)


@pytest.mark.at_night
def test_demo_when_interrupted_while_the_job_runs_then_stops_all_that_it_started(
    tmp_path: Path,
) -> None:
    with demo(tmp_path, "demo-adopt", *FEW) as process:
        assert process.stdout is not None
        next(line for line in process.stdout if re.search(r"^   batch \d+:", line))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)

    assert process.returncode == 130
    assert err.endswith("Stopped: the job and the broker are gone.\n")
    assert_nothing_is_left(tmp_path)
