"""Runs the examples of a page: blocks of SQL and Python, and the result that is printed below them.

A block of SQL is one statement, whose result is shown; a block of Python has `spark`. The block of
text right below one of them is what it prints.
"""

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

_BLOCK = re.compile(r"^```(sql|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """A block of code, and the text below it."""

    line: int
    language: str
    code: str
    expected: str | None
    """What the page says that it prints; None if the page says nothing."""


def examples(page: str) -> list[Example]:
    """Return the examples of a page in their order."""
    found: list[Example] = []
    end = 0
    for block in _BLOCK.finditer(page):
        language, content = block.groups()
        if language != "text":
            found.append(Example(page.count("\n", 0, block.start()) + 1, language, content, None))
        elif found and not page[end : block.start()].strip():
            found[-1].expected = content
        end = block.end()
    return found


def printed(example: Example, spark: SparkSession, names: dict[str, Any]) -> str:
    """Run an example and return what it prints; `names` are those of the examples before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if example.language == "sql":
            result = spark.sql(example.code)
            if result.columns and not result.isStreaming:
                result.show(truncate=False)
        else:
            exec(example.code, names)
    return out.getvalue().rstrip("\n") + "\n"


def check(page: Path, spark: SparkSession) -> int:
    """Run all examples of a page, compare what they print, and return how many were compared."""
    names: dict[str, Any] = {"spark": spark}
    compared = 0
    for example in examples(page.read_text()):
        found = printed(example, spark, names)
        if example.expected is not None:
            assert found == example.expected, f"{page.name}, line {example.line}: found\n{found}"
            compared += 1
    return compared
