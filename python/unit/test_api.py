"""The public API is the one that is written down."""

from difflib import unified_diff
from pathlib import Path

import api
from pyspark.sql import DataFrame

import tidegate
from tidegate.dataframe import METHODS

WRITTEN = Path(__file__).parent.parent / "api.txt"

CHANGED = (
    "The public Python API is not the one in python/api.txt. If a user's code may break, keep the "
    "old form as well. If the change is meant, write it down with `python python/api.py > "
    "python/api.txt`, and tell users in CHANGELOG.md:\n"
)


def test_api_when_compared_with_the_text_then_no_name_or_signature_has_changed() -> None:
    written, found = (text.splitlines() for text in (WRITTEN.read_text(), api.text()))

    assert written == found, CHANGED + "\n".join(unified_diff(written, found, lineterm="", n=0))


def test_api_when_a_signature_changes_then_its_line_changes() -> None:
    def fixedLag(lag: str, more: int = 0) -> None:
        """Take one argument more."""

    (changed,) = api.described("fixedLag", fixedLag)
    (kept,) = api.described("fixedLag", tidegate.fixedLag)
    assert changed == "fixedLag(lag: str, more: int = 0) -> None"
    assert kept in WRITTEN.read_text().splitlines()


def test_methods_when_attached_then_each_is_the_function_of_the_package() -> None:
    # PySpark has names of its own that are among ours too, such as `plot`.
    ours = {name: vars(DataFrame).get(name) for name in tidegate.__all__}
    attached = {
        name
        for name, method in ours.items()
        if getattr(method, "__module__", "").startswith("tidegate.")
    }

    assert attached == {method.__name__ for method in METHODS}
    for name in attached:
        assert getattr(DataFrame, name) is getattr(tidegate, name)
