"""The page of errors: each condition of the jar has a cause and a cure, and no other one has."""

from pathlib import Path

import pytest

from error_conditions import PAGE, Condition, conditions, mistakes, with_texts

ROOT = Path(__file__).parent.parent.parent
KNOWN = {"TIDEGATE_A": Condition("The column `<column>` has the type <found>, not *.", "42703")}
SECTION = "### TIDEGATE_A\n\n**Cause.** It was cast.\n\n**Cure.** Do not cast.\n"


def test_page_when_read_then_has_a_cause_and_a_cure_for_each_condition() -> None:
    assert mistakes((ROOT / PAGE).read_text(encoding="utf-8"), conditions(ROOT)) == []


@pytest.mark.parametrize(
    ("page", "mistake"),
    [
        ("# Errors\n", "docs/errors.md has no section on TIDEGATE_A."),
        (
            SECTION + "\n### TIDEGATE_B\n\n**Cause.** None.\n\n**Cure.** None.\n",
            "docs/errors.md has a section on TIDEGATE_B, which is no condition of "
            "jvm/spark/src/main/resources/tidegate/error-conditions.json.",
        ),
        (f"{SECTION}\n{SECTION}", "docs/errors.md has 2 sections on TIDEGATE_A."),
        (
            SECTION.replace("**Cure.** Do not cast.\n", ""),
            "The section on TIDEGATE_A in docs/errors.md is not a paragraph **Cause.** and a "
            "paragraph **Cure.**",
        ),
        (
            SECTION.replace(" It was cast.", ""),
            "The section on TIDEGATE_A in docs/errors.md is not a paragraph **Cause.** and a "
            "paragraph **Cure.**",
        ),
    ],
)
def test_mistakes_when_a_section_is_wrong_then_says_which(page: str, mistake: str) -> None:
    assert mistakes(page, KNOWN) == [mistake]


def test_texts_when_put_in_then_stand_before_cause_and_cure() -> None:
    assert with_texts(f"# Errors\n\n{SECTION}", KNOWN) == (
        "# Errors\n\n"
        '### TIDEGATE_A {: data-toc-label="A" }\n\n'
        '<a id="TIDEGATE_A"></a>\n\n'
        "> The column `<column>` has the type &lt;found>, not \\*.\n>\n"
        "> SQLSTATE `42703`\n\n"
        "**Cause.** It was cast.\n\n**Cure.** Do not cast.\n"
    )
