"""`make demo-kafka` with few rows, on a broker that it starts and stops itself."""

import re
import signal
from pathlib import Path

import pytest

from kafka.demos import TIMEOUT_SECONDS, assert_nothing_is_left, demo

FEW = ("--rows", "2000", "--idle-timeout", "5")


@pytest.mark.at_night
def test_demo_when_run_then_tidegate_drops_nothing_and_each_window_is_right(
    tmp_path: Path,
) -> None:
    with demo(tmp_path, "demo-kafka", *FEW, "--seconds", "6") as process:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)

    assert process.returncode == 0, err
    rows = {words[0]: words[1:] for words in map(str.split, out.splitlines()[-2:])}
    windows = rows["Tidegate"][2]
    assert rows["Tidegate"] == ["2,000", "0", windows, "0", "0"]
    dropped, wrong = int(rows["Spark"][1]), int(rows["Spark"][3])
    assert dropped > 0 and wrong > 0
    assert re.search(r"^ *[\d.]+ s  Tidegate \d\d:\d\d:\d\d dropped 0  Spark", out, re.MULTILINE)
    assert re.search(rf"Spark \S+ dropped {dropped}\b", out)
    assert "\x1b" not in out
    assert_nothing_is_left(tmp_path)


@pytest.mark.at_night
def test_demo_when_interrupted_then_stops_all_that_it_started(tmp_path: Path) -> None:
    with demo(tmp_path, "demo-kafka", *FEW, "--seconds", "200") as process:
        assert process.stdout is not None
        next(line for line in process.stdout if re.search(r"Tidegate \d", line))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)

    assert process.returncode == 130
    assert err.endswith("Stopped: the queries and the broker are gone.\n")
    assert "ERROR" not in err
    assert_nothing_is_left(tmp_path)
