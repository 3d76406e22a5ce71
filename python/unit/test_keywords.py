"""Keyword arguments that a function does not have: the error names the one that was meant."""

import inspect
from typing import Any

import pytest
from pyspark.sql import DataFrame

import tidegate
from tidegate._keywords import keywords
from tidegate.dataframe import METHODS
from unit.fakes import FakeFacade

FUNCTIONS = [
    value
    for value in (getattr(tidegate, name) for name in tidegate.__all__)
    if inspect.isfunction(value)
]


def snake_case(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_function_when_an_argument_is_in_snake_case_then_says_how_it_is_written(
    function: Any,
) -> None:
    for argument in inspect.signature(function).parameters:
        if snake_case(argument) == argument:
            continue
        with pytest.raises(TypeError) as error:
            function(**{snake_case(argument): 1})

        assert str(error.value) == (
            f"{function.__name__}() got an unexpected keyword argument {snake_case(argument)!r}. "
            f"Did you mean {argument!r}?"
        )


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_function_when_an_argument_is_like_no_other_then_lists_all(function: Any) -> None:
    with pytest.raises(TypeError) as error:
        function(**{"qqq": 1})

    known = ", ".join(inspect.signature(function).parameters) or "none"
    assert str(error.value) == (
        f"{function.__name__}() got an unexpected keyword argument 'qqq'. "
        f"Its arguments are {known}."
    )


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("idle_timeout", "idleTimeout"),
        ("idletimeout", "idleTimeout"),
        ("IdleTimeout", "idleTimeout"),
        ("idleTimeot", "idleTimeout"),
        ("substreams", "substream"),
        ("sub_stream", "substream"),
        ("polcy", "policy"),
        ("max_future_skew", "maxFutureSkew"),
        ("event_time", "eventTime"),
    ],
)
def test_method_when_an_argument_is_misspelt_then_says_which_was_meant(
    df: DataFrame, facade: FakeFacade, found: str, meant: str
) -> None:
    with pytest.raises(TypeError) as error:
        df.withKeyedWatermark("order_time", "5 seconds", **{found: "x"})  # type: ignore[arg-type]

    assert str(error.value) == (
        f"withKeyedWatermark() got an unexpected keyword argument {found!r}. "
        f"Did you mean {meant!r}?"
    )
    assert facade.calls == []


def test_function_when_called_rightly_then_keeps_its_own_errors(df: DataFrame) -> None:
    with pytest.raises(TypeError) as missing:
        tidegate.fixedLag()  # type: ignore[call-arg]
    with pytest.raises(TypeError) as wrong:
        tidegate.fixedLag(lag=5)  # type: ignore[arg-type]

    assert str(missing.value) == "fixedLag() missing 1 required positional argument: 'lag'"
    assert str(wrong.value) == (
        "lag must be a Spark interval string such as '5 seconds' or a datetime.timedelta, found "
        "int: 5."
    )


def test_functions_when_checked_then_are_the_same_to_readers_and_tools() -> None:
    def plain(one: int, *, two: str = "x") -> str:
        """Say it."""
        return f"{one}{two}"

    checked = keywords(plain)

    assert checked(1, two="y") == "1y"
    assert inspect.signature(checked) == inspect.signature(plain)
    assert (checked.__name__, checked.__doc__) == ("plain", "Say it.")
    assert all(inspect.isfunction(f) and hasattr(f, "__wrapped__") for f in FUNCTIONS)
    assert set(METHODS) <= set(FUNCTIONS)
