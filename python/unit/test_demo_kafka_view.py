"""What the demonstration on a broker shows of a moment, with no broker and no JVM."""

import io
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console

from tidegate.demo.kafka import screen
from tidegate.demo.kafka.screen import Lines
from tidegate.demo.kafka.snapshot import (
    Partition,
    Snapshot,
    State,
    Watermark,
    holder,
    partitions,
    unread,
)
from tidegate.demo.kafka.view import View, line, span


def at(minute: int, second: int = 0) -> datetime:
    return datetime(2026, 1, 1, 12, minute, second, tzinfo=timezone.utc)


BOUNDS = (at(0), at(20))

SNAPSHOT = Snapshot(
    seconds=12.34,
    batch=7,
    rows=20_000,
    partitions=(
        Partition(0, at(10), 1_500, 0, State.ACTIVE),
        Partition(1, at(9, 58), 1_234, 56, State.BEHIND),
        Partition(2, at(2), 300, 0, State.IDLE),
        Partition(3, None, 0, 7, State.UNREAD),
        Partition(4, None, 0, 0, State.EMPTY),
    ),
    watermarks=(
        Watermark("Tidegate", at(5), "partition 3", 30, 0),
        Watermark("Spark", at(9, 55), "nothing", 59, 1_234),
    ),
)


def drawn(snapshot: Snapshot, width: int, encoding: str = "utf-8", terminal: bool = False) -> str:
    """Draw a snapshot on a console."""
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    console = Console(file=out, width=width, force_terminal=terminal)
    console.print(View(snapshot, BOUNDS))
    out.seek(0)
    return "\n".join(text.rstrip() for text in out.read().splitlines())


def test_view_when_80_columns_wide_then_shows_each_partition_and_both_watermarks() -> None:
    assert drawn(SNAPSHOT, 80) == (
        """\
12 s, 3,034 of 20,000 rows read, 63 unread

partition      time  behind     read   unread  state         T, S: watermarks
────────────────────────────────────────────────────────────────────────────────
        0  12:10:00    0:00    1,500        0  active        █████T███S·········
        1  12:09:58    0:02    1,234       56  catching up   █████T███S·········
        2  12:02:00    8:00      300        0  idle          ██···T···S·········
        3         -       -        0        7  not yet read  ·····T···S·········
        4         -       -        0        0  empty         ·····T···S·········

watermark      time  behind  waits for               windows out  rows dropped
──────────────────────────────────────────────────────────────────────────────
Tidegate   12:05:00    5:00  partition 3                      30             0
Spark      12:09:55    0:05  nothing                          59         1,234"""
    )


def test_view_when_the_terminal_knows_only_ascii_then_draws_with_it() -> None:
    text = drawn(SNAPSHOT, 80, "ascii")

    assert text.isascii()
    assert "0 |12:10:00 |  0:00 |  1,500 |      0 |active" in text
    assert "####" in text


@pytest.mark.parametrize("width", [20, 40, 60, 61, 68, 80, 81, 200])
def test_view_when_drawn_then_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, drawn(SNAPSHOT, width).splitlines())) <= width


def test_view_when_there_is_no_room_then_leaves_the_bars_out() -> None:
    assert "█" in drawn(SNAPSHOT, 80)
    assert "█" not in drawn(SNAPSHOT, 66)
    assert "catching up" in drawn(SNAPSHOT, 66)


def test_view_when_no_color_is_asked_for_then_uses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[33m" in drawn(SNAPSHOT, 80, terminal=True)

    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in drawn(SNAPSHOT, 80, terminal=True)


def test_line_when_of_a_snapshot_then_tells_what_matters() -> None:
    assert line(SNAPSHOT) == (
        " 12.3 s  Tidegate 12:05:00 dropped 0  Spark 12:09:55 dropped 1,234  unread 63  idle 2"
        "  not yet read 3"
    )


def test_lines_when_nothing_has_happened_or_too_little_time_passed_then_writes_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines(every_seconds=1.0)
    for seconds, batch in [(1.0, 0), (1.5, 1), (2.5, 1), (9.0, 1), (9.1, 2)]:
        lines.show(Snapshot(seconds, batch, 10, (), ()))
    lines.close()

    assert capsys.readouterr().out == "  1.0 s\n  2.5 s\n  9.1 s\n"


def test_lines_when_the_last_one_came_too_early_then_writes_it_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines(every_seconds=1.0)
    for seconds, batch in [(1.0, 0), (1.2, 1), (1.4, 2)]:
        lines.show(Snapshot(seconds, batch, 10, (), ()))
    lines.close()

    assert capsys.readouterr().out == "  1.0 s\n  1.4 s\n"


def test_screen_when_not_on_a_terminal_then_writes_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with screen.screen(BOUNDS) as show:
        show(SNAPSHOT)

    assert capsys.readouterr().out == line(SNAPSHOT) + "\n"


def test_partitions_when_told_of_then_have_a_time_a_backlog_and_a_state() -> None:
    times = {
        "substreams": {
            "orders/0": {"watermark": at(9, 55), "idle": False},
            "orders/1": {"watermark": at(9, 55), "idle": True},
            "orders/2": {"watermark": at(9, 55), "idle": False},
            "orders/3": {"watermark": None, "idle": False},
        }
    }
    read = {0: 10, 1: 10, 2: 10, 3: 0, 4: 0}
    reported = {0: 10, 1: 10, 2: 15, 3: 5, 4: 0}

    assert partitions("orders", times, timedelta(seconds=5), read, reported) == (
        Partition(0, at(10), 10, 0, State.ACTIVE),
        Partition(1, at(10), 10, 0, State.IDLE),
        Partition(2, at(10), 10, 5, State.BEHIND),
        Partition(3, None, 0, 5, State.UNREAD),
        Partition(4, None, 0, 0, State.EMPTY),
    )


def test_partitions_when_nothing_is_known_then_are_not_yet_read() -> None:
    assert unread(range(2)) == (
        Partition(0, None, 0, 0, State.UNREAD),
        Partition(1, None, 0, 0, State.UNREAD),
    )


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"heldBackBy": "orders/7", "idle": False}, "partition 7"),
        ({"heldBackBy": None, "idle": True}, "nothing: all are idle"),
        ({"heldBackBy": None, "idle": False}, "the first rows"),
    ],
)
def test_holder_when_a_watermark_waits_then_is_named(times: dict[str, object], said: str) -> None:
    assert holder("orders", times) == said


def test_span_when_hours_behind_then_counts_minutes() -> None:
    assert span(at(0), at(0) + timedelta(hours=2, seconds=3)) == "120:03"
    assert span(None, at(0)) == "-"
