"""The demonstration on a broker: what it writes, counts and refuses, without a broker or a JVM."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tidegate.__main__ import main
from tidegate.demo.compare import Comparison
from tidegate.demo.kafka.broker import BrokerError, starting
from tidegate.demo.kafka.interrupts import Interrupts
from tidegate.demo.kafka.log import WINDOW_MS, Log, uneven
from tidegate.demo.kafka.queries import offsets
from tidegate.demo.kafka.summary import table

LOG = Log(uneven(rows=4_000, partitions=8))


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    """Return a folder as the build makes it, without jars."""
    for name in ("broker", "connector"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_log_when_made_then_one_partition_is_behind_one_stops_and_one_is_added() -> None:
    places: dict[int, list[int]] = {}
    for place, row in enumerate(LOG.rows):
        places.setdefault(row.partition, []).append(place)
    last = {partition: LOG.rows[rows[-1]].time for partition, rows in places.items()}

    assert sorted(places) == list(range(9))
    assert max(places[5]) < 0.51 * len(LOG.rows) < 0.59 * len(LOG.rows) < min(places[8])
    assert 280 < (last[0] - last[7]).total_seconds() < 320
    assert LOG.added_at == min(places[8])
    assert [row.partition for row in LOG.end] == [0, 1, 2, 3, 4, 6, 7, 8]


def test_log_when_read_in_part_then_expects_the_windows_of_that_part() -> None:
    time = round(next(row for row in LOG.rows if row.partition == 3).time.timestamp() * 1000)
    start = time // WINDOW_MS * WINDOW_MS

    assert LOG.expected({3: 1}).windows == {start: (start + WINDOW_MS, 1)}
    assert LOG.expected({}).windows == {}
    assert LOG.expected({partition: 10**6 for partition in range(9)}) == LOG.whole()
    assert LOG.whole().rows == LOG.whole().rows_in_files == len(LOG.rows) == 4_000


def test_offsets_when_of_another_source_then_are_none() -> None:
    assert offsets('{"orders":{"0":5,"10":7}}', "orders") == {0: 5, 10: 7}
    assert offsets('{"tidegateClock":1,"nodes":{}}', "orders") == {}
    assert offsets("17", "orders") == offsets(None, "orders") == offsets("null", "orders") == {}


def test_summary_when_rendered_then_has_a_line_for_each_watermark() -> None:
    found = [("Tidegate", Comparison(0, 151, 0, 0)), ("Spark", Comparison(2_315, 151, 112, 0))]

    assert table(20_000, found) == (
        "watermark  rows in  rows dropped  windows  wrong  still open\n"
        "------------------------------------------------------------\n"
        "Tidegate    20,000             0      151      0           0\n"
        "Spark       20,000         2,315      151    112           0"
    )


def test_interrupts_when_softened_then_the_first_signal_waits_and_the_second_does_not() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interrupts() as interrupts:
        interrupts.soften()
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            interrupts.wait(60)
        os.kill(os.getpid(), signal.SIGTERM)  # ignored: what was started is being stopped
    with Interrupts() as interrupts:
        interrupts.soften()
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Interrupts():
        os.kill(os.getpid(), signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is before


def test_demo_when_there_are_no_jars_then_names_the_folder_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo-kafka", "--jars", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        f"There are no Kafka jars in {tmp_path} (looked for the folder broker). Run "
        "`make build/kafka/.ready` in a clone of the project, or name with --jars a folder of "
        "two: broker, with the jars of Kafka, and connector, with those of spark-sql-kafka-0-10.\n"
    )


def test_demo_when_there_is_no_java_then_says_so(
    jars: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(jars))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert main(["demo-kafka", "--jars", str(jars)]) == 1
    assert capsys.readouterr().err == (
        "There is no Java on the PATH. The broker and Spark need Java 17 or 21: install it, or "
        "set JAVA_HOME.\n"
    )

    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert main(["demo-kafka", "--jars", str(jars)]) == 1
    assert "There is no Java in JAVA_HOME, which is /nowhere." in capsys.readouterr().err


def test_broker_when_it_does_not_start_then_shows_its_log(
    jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = jars / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f'#!{sys.executable}\nprint("out of order")\nraise SystemExit(3)\n')
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(jars))

    broker = starting(jars / "broker", jars / "data")
    with pytest.raises(BrokerError) as error, broker as address:
        address()

    assert str(error.value) == "The broker did not start:\nout of order\n"
    assert not (jars / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rows", "999"], "--rows must be at least 1000, found 999."),
        (["--partitions", "3"], "--partitions must be at least 4, found 3."),
        (["--seconds", "0"], "--seconds must be above 0, found 0."),
        (["--idle-timeout", "-1.5"], "--idle-timeout must be above 0, found -1.5."),
        (["--timeout", "nan"], "--timeout must be above 0, found nan."),
        (["--seconds", "300"], "--seconds must be below --timeout, found 300 and 300."),
    ],
)
def test_demo_when_an_option_is_not_usable_then_says_so(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["demo-kafka", *arguments])

    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")
