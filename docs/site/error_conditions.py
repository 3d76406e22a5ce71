"""The error conditions of the jar, and the sections of `docs/errors.md` about them."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

CONDITIONS = Path("jvm/spark/src/main/resources/tidegate/error-conditions.json")
PAGE = Path("docs/errors.md")

_SECTION = re.compile(r"^### ([^\n]*)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_CAUSE_AND_CURE = re.compile(r"\A\n\*\*Cause\.\*\* \S.*?\n\n\*\*Cure\.\*\* \S.*?\n*\Z", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """An error condition: its text, with parameters such as `<column>`, and its SQLSTATE."""

    text: str
    sql_state: str


def conditions(root: Path) -> dict[str, Condition]:
    """Return the conditions of the jar, by name."""
    found = json.loads((root / CONDITIONS).read_text(encoding="utf-8"))
    return {
        name: Condition("\n".join(entry["message"]), entry["sqlState"])
        for name, entry in found.items()
    }


def mistakes(page: str, known: dict[str, Condition]) -> list[str]:
    """Return a sentence for each condition whose section is missing, wrong or one too many."""
    sections = _SECTION.findall(page)
    names = Counter(name for name, _ in sections)
    found = [f"{PAGE} has no section on {name}." for name in known if name not in names]
    for name, content in sections:
        if name not in known:
            found.append(f"{PAGE} has a section on {name}, which is no condition of {CONDITIONS}.")
        if not _CAUSE_AND_CURE.match(content):
            found.append(
                f"The section on {name} in {PAGE} is not a paragraph **Cause.** and a paragraph "
                "**Cure.**"
            )
    return [*found, *(f"{PAGE} has {n} sections on {name}." for name, n in names.items() if n > 1)]


def with_texts(page: str, known: dict[str, Condition]) -> str:
    """Put the text and the SQLSTATE of each condition under its heading."""

    def section(match: re.Match[str]) -> str:
        name, content = match.groups()
        condition = known[name]
        return (
            # The list of the page shows a short name.
            f'### {name} {{: data-toc-label="{short_name(name)}" }}\n\n'
            # The name itself is an anchor too, as people paste it.
            f'<a id="{name}"></a>\n\n'
            f"> {_markdown(condition.text)}\n>\n> SQLSTATE `{condition.sql_state}`\n"
            f"{content}"
        )

    return _SECTION.sub(section, page)


def short_name(name: str) -> str:
    """Return what the list of errors shows: `TIDEGATE_OTHER_SPARK` is `Other Spark`."""
    words = name.removeprefix("TIDEGATE_").replace("_", " ").capitalize()
    return words.replace("spark", "Spark")


def _markdown(text: str) -> str:
    """Write a text so that Markdown shows it as it is; what is quoted by backticks is code."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_\[\]])", r"\\\1", parts[i]).replace("<", "&lt;")
    return "`".join(parts)
