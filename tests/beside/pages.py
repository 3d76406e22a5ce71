"""Runs blocks of a page that need more than Spark, which the tests of all pages leave out."""

import re
from pathlib import Path
from typing import Any

_PAGES = Path(__file__).parents[2] / "docs"
_CODE = re.compile(r"^## (.+?)$|^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(page: str, section: str, **names: Any) -> dict[str, Any]:
    """Run what a section has, one block after the other, and return all names.

    Parameters
    ----------
    page : str
        The file below `docs`.
    section : str
        The title of the section.
    **names : Any
        What the section takes from the text around it.
    """
    scope: dict[str, Any] = {"__name__": "__main__", **names}
    title, ran = "", 0
    for block in _CODE.finditer((_PAGES / page).read_text()):
        if block.group(1):
            title = block.group(1)
        elif title == section:
            exec(block.group(2), scope)
            ran += 1
    assert ran, f"{page} has no code in a section {section!r}"
    return scope
