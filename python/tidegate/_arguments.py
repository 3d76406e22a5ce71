"""Checks of argument types, made before a call leaves Python.

What a value means (is the interval positive, does the column exist) is checked on the JVM.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeAlias

Duration: TypeAlias = str | timedelta
"""A Spark interval string such as ``"5 seconds"``, or a timedelta."""

MAX_KEY = 127

OUTPUT_MODES = ("append", "update", "complete")


def wrong_type(argument: str, wanted: str, found: Any) -> TypeError:
    """Return an error that names the argument, the wanted type and the value found."""
    return TypeError(f"{argument} must be {wanted}, found {type(found).__name__}: {found!r}.")


def text(argument: str, value: Any, what: str) -> str:
    """Return `value` if it is a string; `what` says what the string stands for."""
    if not isinstance(value, str):
        raise wrong_type(argument, f"{what} (a str)", value)
    return value


def boolean(argument: str, value: Any) -> bool:
    """Return `value` if it is a bool."""
    if not isinstance(value, bool):
        raise wrong_type(argument, "True or False (a bool)", value)
    return value


def output_mode(value: Any) -> str:
    """Return `value` if it names an output mode."""
    mode = text("outputMode", value, "an output mode")
    if mode not in OUTPUT_MODES:
        raise ValueError(f"outputMode must be one of {', '.join(OUTPUT_MODES)}, found {mode!r}.")
    return mode


def duration(argument: str, value: Any) -> str:
    """Return `value` as a Spark interval string."""
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} microseconds"
    if isinstance(value, str):
        return value
    wanted = "a Spark interval string such as '5 seconds' or a datetime.timedelta"
    raise wrong_type(argument, wanted, value)


def watermark_key(argument: str, value: Any) -> int:
    """Return `value` if it is a watermark key: one byte, not negative."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(argument, f"an int from 0 to {MAX_KEY}", value)
    if not 0 <= value <= MAX_KEY:
        raise ValueError(f"{argument} must be an int from 0 to {MAX_KEY}, found {value}.")
    return value


def column_names(argument: str, value: Any) -> list[str]:
    """Return the column names in `value`: one name, several, or none for ``None``."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    names = []
    # Not as a list first: a sequence such as a range may have any number of elements.
    for name in value if isinstance(value, Sequence) else [value]:
        if not isinstance(name, str):
            raise wrong_type(argument, "the name of a column (a str) or a sequence of these", name)
        names.append(name)
    return names


def whole_number(argument: str, value: Any, smallest: int) -> int:
    """Return `value` if it is an int that is not below `smallest`."""
    wanted = f"an int of {smallest} or more"
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(argument, wanted, value)
    if value < smallest:
        raise ValueError(f"{argument} must be {wanted}, found {value}.")
    return value
