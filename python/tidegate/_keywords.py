"""Errors for keyword arguments that a function does not have: which one was probably meant."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def keywords(function: F) -> F:
    """Make a function name the argument that an unknown one was probably meant to be.

    Its signature, its types and its docstring stay the same.
    """
    known = list(signature(function).parameters)

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        for name in named:
            if name not in known:
                raise TypeError(_unknown(function.__name__, name, known))
        return function(*arguments, **named)

    return cast("F", checked)


def _unknown(function: str, name: str, known: Iterable[str]) -> str:
    spellings = {_plain(argument): argument for argument in known}
    near = get_close_matches(_plain(name), spellings, n=1)
    advice = (
        f"Did you mean {spellings[near[0]]!r}?"
        if near
        else f"Its arguments are {', '.join(spellings.values()) or 'none'}."
    )
    return f"{function}() got an unexpected keyword argument {name!r}. {advice}"


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
