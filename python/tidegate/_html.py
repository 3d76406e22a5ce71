"""What notebooks show, in HTML: watermarks as a table, and an explanation as paragraphs.

Names of substreams are data: every text is escaped. The table has no colours of its own, so it
suits a light page and a dark one.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from html import escape
from typing import Any

from tidegate.figures import SubstreamWatermark, Watermark

MOST_SUBSTREAMS = 20
"""How many substreams of a watermark are shown."""

COLUMNS = (
    "name",
    "watermark",
    "idle",
    "held back by",
    "eviction watermark",
    "late rows",
    "partly late",
)

LEFT = "text-align: left;"
INDENT = " padding-left: 2em;"

_FIRST = datetime.min.replace(tzinfo=timezone.utc)


def table(watermarks: Mapping[str, Watermark]) -> str:
    """Return a table with each watermark, its slowest substreams, and each operator."""
    body = "".join("".join(_entry(name, status)) for name, status in watermarks.items())
    return (
        '<table class="tidegate-watermarks">'
        f"<thead>{_row(COLUMNS, cell='th')}</thead><tbody>{body or _line('no watermarks yet')}"
        "</tbody></table>"
    )


def paragraphs(sentences: str) -> str:
    """Return paragraphs with their lines, and names in the type of code."""
    named = re.sub("`([^`\n]+)`", r"<code>\1</code>", escape(sentences))
    body = "".join(
        f"<p>{paragraph.replace(chr(10), '<br>')}</p>" for paragraph in named.split("\n\n")
    )
    return f'<div class="tidegate-time">{body}</div>'


def _entry(name: str, status: Watermark) -> list[str]:
    head = (name, status["watermark"], _yes(status["idle"]), status["heldBackBy"])
    if status["kind"] == "operator":
        late = (status["lateRows"], status["partlyLateRows"])
        return [_row((*head, status["evictionWatermark"], *late))]
    substreams = sorted(status["substreams"].items(), key=_slowness)
    more = len(substreams) - MOST_SUBSTREAMS
    return [
        _row((*head, "", "", "")),
        *(
            _row((substream, own["watermark"], _yes(own["idle"]), "", "", "", ""), indent=True)
            for substream, own in substreams[:MOST_SUBSTREAMS]
        ),
        *([_line(f"and {more:,} more")] if more > 0 else []),
    ]


def _slowness(substream: tuple[str, SubstreamWatermark]) -> tuple[bool, datetime, str]:
    """Order substreams: what holds time back comes first, and what is idle last."""
    name, own = substream
    return own["idle"], own["watermark"] or _FIRST, name


def _yes(idle: bool) -> str:
    return "idle" if idle else ""


def _row(values: Iterable[Any], cell: str = "td", *, indent: bool = False) -> str:
    first = LEFT + INDENT if indent else LEFT
    cells = (
        f'<{cell} style="{LEFT if column else first}">{_text(value)}</{cell}>'
        for column, value in enumerate(values)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _line(text: str) -> str:
    return f'<tr><td colspan="{len(COLUMNS)}" style="{LEFT + INDENT}">{_text(text)}</td></tr>'


def _text(value: Any) -> str:
    return "-" if value is None else escape(str(value))
