"""The blocks of the first minute, pasted as a user pastes them, print what the pages show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import first_minute
from first_minute import PAGE, README

_ALARMING = re.compile(r" (WARN|ERROR) (?!NativeCodeLoader|Utils)|^\s+at |Exception|Traceback")
"""Lines of a log that alarm a reader.

Spark warns of Hadoop's library and of the name of the host before it reads settings.
"""


def paste(command: list[str], text: str, folder: Path) -> tuple[str, str]:
    """Give a text to a shell as its input, and return what it prints, and its log."""
    binaries = str(Path(sys.executable).parent)
    path = os.pathsep.join([binaries, os.environ["PATH"]])
    done = subprocess.run(
        command,
        input=text,
        cwd=folder,
        env={**os.environ, "PATH": path, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        pytest.fail(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


def test_python_when_the_block_of_readme_is_pasted_and_sql_behind_it_then_both_print_their_tables(
    tmp_path: Path,
) -> None:
    readme = first_minute.blocks(README, "The first minute")
    sql = first_minute.blocks(PAGE, "SQL on a stream")

    assert first_minute.blocks(PAGE, "Python") == readme
    assert readme["python"].count("\n") <= 20
    pasted = readme["python"] + "\n" + sql["python"]
    printed, log = paste([sys.executable, *first_minute.PASTED], pasted, tmp_path)
    assert readme["text"].strip() in printed
    assert sql["text"].strip() in printed
    # The queries end by themselves, and nothing is said of that.
    assert [line for line in log.splitlines() if _ALARMING.search(line)] == []


@pytest.mark.at_night
@pytest.mark.parametrize(
    ("heading", "language"), [("SQL in its shell", "sql"), ("Scala", "scala")], ids=["sql", "scala"]
)
def test_shell_when_the_block_is_pasted_then_it_prints_the_table(
    heading: str, language: str, tmp_path: Path
) -> None:
    blocks = first_minute.blocks(PAGE, heading)

    assert blocks[language].count("\n") <= 20
    printed, _ = paste(["bash", "-e", "-c", blocks["bash"]], blocks[language], tmp_path)
    assert blocks["text"].strip() in printed


@pytest.mark.at_night
def test_java_when_the_file_is_compiled_and_submitted_then_it_prints_the_table(
    tmp_path: Path,
) -> None:
    blocks = first_minute.blocks(PAGE, "Java")
    (tmp_path / "FirstMinute.java").write_text(blocks["java"])

    assert blocks["java"].count("\n") <= 20
    printed, _ = paste(["bash", "-e", "-c", blocks["bash"]], "", tmp_path)
    assert blocks["text"].strip() in printed
