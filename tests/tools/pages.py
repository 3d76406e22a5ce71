"""The commands of the pages on SQL tools and dbt, as a user pastes them."""

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"

_BLOCK = re.compile(r"(?:`([\w./-]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    """A block of code; ``file`` is the file that the line above it names."""

    file: str | None
    language: str
    code: str


def blocks(heading: str, page: str = "sql-tools.md") -> list[Block]:
    """Return the blocks below a heading; those at the top have the title of the page."""
    sections = re.split(r"^#+ (.+)$", (DOCS / page).read_text(), flags=re.MULTILINE)
    below = dict(zip(sections[1::2], sections[2::2], strict=True))[heading]
    return [Block(*found.groups()) for found in _BLOCK.finditer(below)]
