"""What `mapAsync` checks, and what it sends to the facade."""

import functools
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
from pyspark.sql.types import LongType, StructType

import tidegate
from tidegate import _workers
from tidegate._mapper import AsyncMapper
from unit.fakes import CALLS, FakeConnectDataFrame, FakeConnectSession, FakeFacade

SCHEMA = "price long"
WANTED = (
    "fn must be an async def over a row, with a second parameter for the key of the call if it "
    "wants one; or a class or an object with such a method __call__, found "
)


async def price(row: Any) -> tuple[int]:
    return (1,)


async def keyed(row: Any, key: tidegate.CallKey, currency: str = "EUR") -> tuple[int]:
    return (1,)


class Prices:
    """Prices behind a connection."""

    async def setup(self) -> None: ...

    async def __call__(self, row: Any) -> tuple[int]:
        return (1,)


class Plain:
    """Not asynchronous."""

    def __call__(self, row: Any) -> tuple[int]:
        return (1,)


class PlainSetup(Prices):
    """A connection that is opened in another way."""

    def setup(self) -> None: ...  # type: ignore[override]


@pytest.fixture
def mapped(df: DataFrame, monkeypatch: pytest.MonkeyPatch) -> list[tuple[AsyncMapper, StructType]]:
    """Record what would reach ``mapInArrow``."""
    calls: list[tuple[AsyncMapper, StructType]] = []

    def map_in_arrow(self: DataFrame, mapper: AsyncMapper, schema: StructType) -> DataFrame:
        calls.append((mapper, schema))
        return ClassicDataFrame("a mapped Java DataFrame", self.sparkSession)

    monkeypatch.setattr(ClassicDataFrame, "schema", StructType().add("id", LongType()))
    monkeypatch.setattr(ClassicDataFrame, "mapInArrow", map_in_arrow)
    monkeypatch.setattr(_workers, "carried", lambda method, mapper: mapper)
    return calls


def test_call_when_nothing_is_given_then_sends_the_defaults(
    df: DataFrame, facade: FakeFacade, mapped: list[tuple[AsyncMapper, StructType]]
) -> None:
    result = tidegate.mapAsync(df, price, SCHEMA)

    assert facade.calls == [
        ("a Java DataFrame", SCHEMA, "30 seconds", "fail"),
        ("a Java DataFrame", "a mapped Java DataFrame", "price", None),
    ]
    assert result._jdf == "a Java DataFrame with the results of calls"
    ((mapper, schema),) = mapped
    assert schema.fieldNames() == ["price", *CALLS.fieldNames()]
    assert (mapper.settings.max_in_flight, mapper.settings.timeout) == (100, 1.5)
    assert (mapper.settings.takes_key, mapper.settings.keeps_failures) == (False, False)
    assert mapper.make_function() is price


def test_call_when_all_is_given_then_sends_it(
    df: DataFrame, facade: FakeFacade, mapped: list[tuple[AsyncMapper, StructType]]
) -> None:
    tidegate.mapAsync(
        df,
        keyed,
        StructType().add("price", LongType()),
        ordered=False,
        maxInFlight=5,
        timeout=timedelta(seconds=2),
        retries=0,
        onError="dead letter",
        deadLetters="letters",
        breakAfter=7,
        rowsPerCall=3,
    )

    assert facade.calls[0][2:] == ("2000000 microseconds", "dead letter")
    assert facade.calls[1][2:] == ("keyed", "letters")
    mapper = mapped[0][0]
    assert mapper.rows_per_call == 3
    assert (mapper.settings.ordered, mapper.settings.max_in_flight) == (False, 5)
    assert (mapper.settings.retries, mapper.settings.break_after) == (0, 7)
    assert (mapper.settings.takes_key, mapper.settings.keeps_failures) == (True, True)


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (price, "price"),
        (functools.partial(keyed, currency="USD"), "keyed"),
        (Prices, "Prices"),
        (Prices(), "Prices"),
        (Prices().__call__, "Prices.__call__"),
    ],
)
def test_function_when_asynchronous_then_is_taken(
    df: DataFrame, facade: FakeFacade, mapped: Any, fn: Any, name: str
) -> None:
    tidegate.mapAsync(df, fn, SCHEMA)

    assert facade.calls[1][2] == name


def test_class_when_given_then_is_made_for_each_task(
    df: DataFrame, facade: FakeFacade, mapped: list[tuple[AsyncMapper, StructType]]
) -> None:
    tidegate.mapAsync(df, Prices, SCHEMA)

    make = mapped[0][0].make_function
    assert isinstance(make(), Prices)
    assert make() is not make()


async def without_a_row() -> None: ...


async def with_three(row: Any, key: Any, other: Any) -> None: ...


async def with_a_keyword(row: Any, *, currency: str) -> None: ...


async def generator(row: Any) -> Any:
    yield row


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (5, WANTED + "int: 5."),
        (max, WANTED + "max, which is not an async def."),
        (generator, WANTED + "generator, which is not an async def."),
        (Plain, WANTED + "Plain, which is not an async def."),
        (
            PlainSetup(),
            "fn must have an async def setup(self) or none, found PlainSetup.setup, which is not "
            "an async def.",
        ),
        (
            without_a_row,
            "fn must take a row, or a row and the key of the call, found without_a_row() -> None.",
        ),
        (
            with_three,
            "fn must take a row, or a row and the key of the call, found with_three(row: Any, key: "
            "Any, other: Any) -> None.",
        ),
        (
            with_a_keyword,
            "fn must take a row, or a row and the key of the call, found with_a_keyword(row: Any, "
            "*, currency: str) -> None.",
        ),
    ],
)
def test_function_when_it_cannot_be_called_then_says_why(
    df: DataFrame, facade: FakeFacade, fn: Any, message: str
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.mapAsync(df, fn, SCHEMA)

    assert str(error.value) == message
    assert facade.calls == []


@pytest.mark.parametrize(
    ("arguments", "error_type", "message"),
    [
        (
            {"schema": 5},
            TypeError,
            "schema must be a StructType or a text such as 'id long, price double', found int: 5.",
        ),
        ({"ordered": 1}, TypeError, "ordered must be True or False (a bool), found int: 1."),
        ({"maxInFlight": 0}, ValueError, "maxInFlight must be an int of 1 or more, found 0."),
        (
            {"maxInFlight": "5"},
            TypeError,
            "maxInFlight must be an int of 1 or more, found str: '5'.",
        ),
        (
            {"timeout": 5},
            TypeError,
            "timeout must be a Spark interval string such as '5 seconds' or a datetime.timedelta, "
            "found int: 5.",
        ),
        ({"retries": -1}, ValueError, "retries must be an int of 0 or more, found -1."),
        ({"retries": True}, TypeError, "retries must be an int of 0 or more, found bool: True."),
        (
            {"onError": "ignore"},
            ValueError,
            "onError must be one of 'fail', 'null', 'dead letter', found 'ignore'.",
        ),
        (
            {"onError": "dead letter"},
            ValueError,
            "deadLetters must be a folder if onError is 'dead letter', and only then, found None "
            "with onError='dead letter'.",
        ),
        (
            {"deadLetters": "letters"},
            ValueError,
            "deadLetters must be a folder if onError is 'dead letter', and only then, found "
            "'letters' with onError='fail'.",
        ),
        (
            {"onError": "dead letter", "deadLetters": 5},
            TypeError,
            "deadLetters must be a folder (a str), found int: 5.",
        ),
        ({"breakAfter": 0}, ValueError, "breakAfter must be an int of 1 or more, found 0."),
        ({"rowsPerCall": 0}, ValueError, "rowsPerCall must be an int of 1 or more, found 0."),
    ],
)
def test_argument_when_wrong_then_says_which(
    df: DataFrame,
    facade: FakeFacade,
    arguments: dict[str, Any],
    error_type: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error_type) as error:
        tidegate.mapAsync(df, price, **({"schema": SCHEMA} | arguments))

    assert str(error.value) == message
    assert facade.calls == []


def test_dataframe_when_it_is_none_then_says_so(facade: FakeFacade) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.mapAsync(5, price, SCHEMA)  # type: ignore[arg-type]

    assert str(error.value) == "df must be a pyspark.sql.DataFrame, found int: 5."


def test_connect_when_used_then_says_what_to_do() -> None:
    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        tidegate.mapAsync(FakeConnectDataFrame(FakeConnectSession(), "events"), price, SCHEMA)

    assert str(error.value) == (
        "mapAsync needs classic PySpark, and this is a DataFrame of Spark Connect, whose plans "
        "cannot hold calls. Run the query in classic PySpark, or call the service in mapInArrow."
    )
