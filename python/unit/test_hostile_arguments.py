"""Arguments of any type and value: only documented errors, and no text of theirs in SQL."""

import inspect
import random
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeConnectDataFrame, FakeConnectSession, FakeFacade

CALLS = 3000

DOCUMENTED = (TypeError, ValueError, tidegate.TidegateError)

STATEMENT = re.compile(
    r"SELECT \* FROM (KEYED_WATERMARK|ORDER_BY_TIME|BOUND_JOIN|AS_OF_JOIN)\(TABLE\(\{df\}\)"
    r"(, ([a-z_]+ => )?(:p\d+|DESCRIPTOR\((:p\d+|'[\w .`-]+')\)|[a-zA-Z]+\(:p\d+(, :p\d+)*\)))*\)"
)


class Text(str):
    """A string by inheritance."""


class Quiet:
    """Answers everything, and is nothing."""

    def __getattr__(self, name: str) -> Any:
        """Return itself, except for what Python looks for."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **named: Any) -> "Quiet":
        return self


TEXTS = [
    "",
    " ",
    "order_time",
    "a.b",
    "`",
    "``",
    "a`b",
    "'",
    '"',
    "'; DROP TABLE orders; --",
    ") UNION SELECT * FROM secrets --",
    "/* */",
    "${x}",
    ":p0",
    "{df}",
    "\x00",
    "\n",
    "\u202e",
    "\ud800",
    "é" * 5,
    "x" * 100_000,
    "5 seconds",
    "-5 seconds",
    "9" * 400 + " days",
    "interval",
    "inner",
    Text("order_time"),
]

OTHERS = [
    None,
    True,
    False,
    0,
    -1,
    127,
    128,
    10**400,
    0.5,
    float("nan"),
    float("inf"),
    1j,
    b"order_time",
    bytearray(b"a"),
    (),
    [],
    {},
    set(),
    ("a", None),
    ["a", ["b"]],
    ("a", "b", "c", "d"),
    ("a", "b", "1 second", timedelta(0)),
    range(10**9),
    {"a": 1},
    object(),
    object,
    Quiet(),
    len,
    iter(["a"]),
    timedelta.max,
    timedelta.min,
    timedelta(microseconds=1),
    date(1, 1, 1),
    datetime.max,
    tidegate.fixedLag("5 seconds"),
    tidegate.byFrame("1 second"),
    tidegate.Policy("fixedLag(:p0)) UNION SELECT * FROM secrets --", ("1 second",)),
    tidegate.Policy("fixedLag", (1,)),  # type: ignore[arg-type]
    tidegate.Policy("fixedLag", None),  # type: ignore[arg-type]
    tidegate.Policy(None, ()),  # type: ignore[arg-type]
    tidegate.Emission("byFrame", "1 second"),  # type: ignore[arg-type]
    tidegate.Emission("'", ()),
]

# The arguments behind those of POSITIONAL.
NAMED = {
    function: list(inspect.signature(function).parameters)[first:]
    for function, first in (
        (tidegate.withKeyedWatermark, 3),
        (tidegate.withIngestionWatermark, 3),
        (tidegate.orderByEventTime, 1),
        (tidegate.streamJoin, 3),
        (tidegate.asOfJoin, 3),
    )
}

POSITIONAL: dict[Any, Callable[[Any, random.Random], list[Any]]] = {
    tidegate.withKeyedWatermark: lambda df, r: [df, mostly("order_time", r), mostly("1 second", r)],
    tidegate.withIngestionWatermark: lambda df, r: [
        df,
        mostly("order_time", r),
        mostly("1 second", r),
    ],
    tidegate.orderByEventTime: lambda df, r: [df],
    tidegate.streamJoin: lambda df, r: [df, mostly(df, r), mostly("id", r)],
    tidegate.asOfJoin: lambda df, r: [df, mostly(df, r), mostly("id", r)],
}


def any_value(r: random.Random) -> Any:
    kind = r.randrange(4)
    if kind == 0:
        return [any_value(r) for _ in range(r.randrange(5))]
    return r.choice(TEXTS if kind < 3 else OTHERS)


def mostly(usual: Any, r: random.Random) -> Any:
    return usual if r.randrange(3) else any_value(r)


def random_call(df: Any, r: random.Random) -> tuple[Any, list[Any], dict[str, Any]]:
    function = r.choice(list(NAMED))
    positional = POSITIONAL[function](mostly(df, r), r)
    names = r.sample(NAMED[function], r.randrange(3))
    return function, positional, {name: any_value(r) for name in names}


def call(function: Any, positional: list[Any], named: dict[str, Any]) -> bool:
    """Tell whether a call gets through; its error has to be a documented one with a sentence."""
    try:
        function(*positional, **named)
    except DOCUMENTED as error:
        assert str(error).endswith("."), f"{function.__name__}{positional}{named}: {error!r}"
        return False
    return True


def test_functions_when_arguments_are_random_then_only_documented_errors(
    df: DataFrame, facade: FakeFacade
) -> None:
    r = random.Random(3)
    through = sum(call(*random_call(df, r)) for _ in range(CALLS))

    assert 100 < through < CALLS - 100
    assert len(facade.calls) == through
    for sent in facade.calls:
        values = [v for a in sent for v in (a.values() if isinstance(a, dict) else [a])]
        assert all(isinstance(v, str | int | list | StreamingQuery | None) for v in values), sent


def test_functions_when_called_on_connect_then_only_plain_names_are_in_the_statement() -> None:
    session = FakeConnectSession()
    r = random.Random(5)
    df = FakeConnectDataFrame(session, "orders")
    through = sum(call(*random_call(df, r)) for _ in range(CALLS))

    assert 100 < through < CALLS - 100
    assert len(session.calls) > 100
    for text, values, _ in session.calls:
        assert STATEMENT.fullmatch(text), text
        assert set(re.findall(r":(p\d+)", text)) == set(values)


@pytest.mark.parametrize(
    "function",
    [
        tidegate.fixedLag,
        tidegate.limitingLagAndDelay,
        tidegate.limitingLagAndLull,
        tidegate.limitingTimestampAndWallClockLag,
        tidegate.byFrame,
        tidegate.byMinStep,
        tidegate.watermarks,
        tidegate.configure,
    ],
)
def test_function_when_called_with_any_value_then_only_documented_errors(
    function: Any, facade: FakeFacade
) -> None:
    two = function in {
        tidegate.limitingLagAndDelay,
        tidegate.limitingLagAndLull,
        tidegate.limitingTimestampAndWallClockLag,
        tidegate.byFrame,
    }
    for value in TEXTS + OTHERS:
        for other in ["1 second", value] if two else [None]:
            call(function, [value, other] if two else [value], {})


def test_policy_when_its_name_is_sql_then_refused_with_the_known_names() -> None:
    df = FakeConnectDataFrame(FakeConnectSession(), "orders")
    policy = tidegate.Policy("fixedLag(:p0)) --", ("1 second",))

    with pytest.raises(ValueError) as error:
        tidegate.withKeyedWatermark(df, "order_time", policy=policy)

    assert str(error.value) == (
        "policy must be one of fixedLag, limitingLagAndDelay, limitingLagAndLull, "
        "limitingTimestampAndWallClockLag, found 'fixedLag(:p0)) --'."
    )
