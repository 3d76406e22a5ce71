"""What the demonstration shows: its table, its picture, its progress, its refusals."""

import io
from pathlib import Path

import pytest

from tidegate.__main__ import main
from tidegate.demo.compare import Comparison, Expected
from tidegate.demo.picture import Panel, draw
from tidegate.demo.progress import Progress
from tidegate.demo.run import Outcome
from tidegate.demo.table import Result, render


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_table_when_rendered_then_names_are_left_and_numbers_right() -> None:
    expected = Expected({0: (10, 1_000_000)}, rows_in_files=1_000_007)
    lossy = Outcome("Spark withWatermark", first_window=0.25, last_window=12.0)
    results = [
        Result("orders", expected, lossy, Comparison(123_456, 421, 331, 0)),
        Result("orders", expected, Outcome("Tidegate"), Comparison(0, 421, 0, 421)),
    ]

    lines = render(results).splitlines()
    assert [line.split("  ")[0] for line in lines[2:]] == ["orders", "orders"]
    assert lines[2].split() == (
        "orders Spark withWatermark 1,000,000 123,456 421 331 0 0.2 s 12.0 s".split()
    )
    assert lines[3].split() == "orders Tidegate 1,000,000 0 421 0 421 none none".split()
    assert {len(lines[0]), len(lines[1]), len(lines[2]), len(lines[3])} == {len(lines[0])}


def test_picture_when_drawn_then_is_a_png_also_without_any_watermark(tmp_path: Path) -> None:
    substreams = {str(n): {batch: 60_000 * (batch + n) for batch in range(5)} for n in range(20)}
    substreams["silent"] = {0: 30_000}
    fast = {1: 60_000, 2: 300_000, 3: 400_000}
    panels = [
        Panel("orders", substreams, {"Spark": fast, "Tidegate": {}}),
        Panel("nothing", {}, {}),
    ]

    draw(panels, tmp_path / "watermarks.png")

    assert (tmp_path / "watermarks.png").read_bytes().startswith(b"\x89PNG")


def test_progress_when_on_a_terminal_then_an_update_replaces_the_one_before() -> None:
    out = Terminal()
    progress = Progress(out)
    progress.update("batch 10")
    progress.update("done")
    progress.say("table")

    assert out.getvalue() == "\rbatch 10" + "\rdone    " + "\r        \r" + "table\n"


def test_progress_when_not_on_a_terminal_then_writes_plain_lines_now_and_then() -> None:
    out = io.StringIO()
    progress = Progress(out, every_seconds=3600)
    progress.update("batch 1")
    progress.update("batch 2")
    progress.say("table")

    assert out.getvalue() == "batch 1\ntable\n"


def test_command_when_unknown_then_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dmeo"]) == 2
    assert (
        capsys.readouterr().err
        == "usage: python -m tidegate {demo,demo-kafka,demo-adopt,adopt,release,snapshot} "
        "[--help]\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--input", "x"], "--input needs --event-time and --substream."),
        (["--rows", "0"], "--rows must be at least 1000, found 0."),
    ],
)
def test_demo_when_an_option_is_not_usable_then_says_so(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["demo", *arguments])

    assert capsys.readouterr().err.endswith(f"error: {sentence}\n")
