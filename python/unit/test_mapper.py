"""From Arrow to rows and back, without a task of Spark."""

import os
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
import pytest
from pyspark import TaskContext
from pyspark.sql import Row
from pyspark.sql.types import LongType, StringType, StructType, TimestampType

from tidegate._call import CallKey
from tidegate._calls import CallSettings, FailedCallError
from tidegate._mapper import AsyncMapper
from unit.fakes import CALLS

INPUT = StructType().add("id", LongType()).add("time", TimestampType())
OUTPUT = StructType().add("id", LongType()).add("price", LongType())

HIDES = "SPARK_HIDE_TRACEBACK"
"""By this variable Spark's worker leaves out a traceback."""

TELLS = ["tidegate_attempts", "tidegate_in_flight", "tidegate_failed"]


class FakeTask:
    """Partition 3 in batch 7."""

    def getLocalProperty(self, key: str) -> str:
        assert key == "streaming.sql.batchId"
        return "7"

    def partitionId(self) -> int:
        return 3


@pytest.fixture(autouse=True)
def task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a task."""
    monkeypatch.setattr(TaskContext, "get", FakeTask)
    monkeypatch.setenv(HIDES, "")


def batches(*sizes: int) -> Iterator[pa.RecordBatch]:
    first = 0
    for size in sizes:
        ids = list(range(first, first + size))
        times = pa.array([i * 1_000_000 for i in ids], pa.timestamp("us", tz="UTC"))
        yield pa.RecordBatch.from_arrays([pa.array(ids), times], ["id", "time"])
        first += size


def run(
    fn: Callable[..., Any],
    *sizes: int,
    output: StructType = OUTPUT,
    rows_per_call: int | None = None,
    on_error: str = "fail",
    takes_key: bool = False,
) -> list[dict[str, Any]]:
    settings = CallSettings("price", True, 5, None, 0, on_error != "fail", 100, takes_key)
    calls = StructType(list(CALLS.fields))
    if on_error == "dead letter":
        calls.add("tidegate_row", INPUT)
    mapper = AsyncMapper(lambda: fn, settings, INPUT, output, calls, rows_per_call, on_error)
    return [row for batch in mapper(batches(*sizes)) for row in batch.to_pylist()]


def values(rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(row["id"], row["price"]) for row in rows]


@pytest.mark.parametrize(
    "answer",
    [
        lambda row: {"price": row.id * 10, "id": row.id},
        lambda row: (row.id, row.id * 10),
        lambda row: Row(price=row.id * 10, id=row.id),
        lambda row: Row(row.id, row.id * 10),
    ],
)
def test_result_when_a_row_in_any_form_then_its_columns_are_found(
    answer: Callable[[Row], Any],
) -> None:
    async def price(row: Row) -> Any:
        return answer(row)

    rows = run(price, 2, 1)

    assert values(rows) == [(0, 0), (1, 10), (2, 20)]
    assert [row["tidegate_attempts"] for row in rows] == [1, 1, 1]
    assert all(row["tidegate_micros"] >= 0 for row in rows)


def test_rows_per_call_when_given_then_lists_do_not_cross_arrow_batches() -> None:
    lists: list[list[int]] = []

    async def price(rows: list[Row]) -> list[tuple[int, int]]:
        lists.append([row.id for row in rows])
        return [(row.id, row.id * 10) for row in rows]

    rows = run(price, 3, 2, rows_per_call=2)

    assert lists == [[0, 1], [2], [3, 4]]
    assert values(rows) == [(i, i * 10) for i in range(5)]
    assert [row["tidegate_attempts"] for row in rows] == [1, None, 1, 1, None]


def test_key_when_taken_then_numbers_the_rows_of_the_partition() -> None:
    async def price(row: Row, key: CallKey) -> tuple[int, int]:
        assert key == CallKey(7, 3, row.id)
        return key.batch, key.row

    assert values(run(price, 2, 2, takes_key=True)) == [(7, 0), (7, 1), (7, 2), (7, 3)]


async def odd_fails(row: Row) -> tuple[int, int]:
    if row.id % 2:
        raise OSError("reset")
    return row.id, row.id * 10


def test_null_when_a_call_fails_then_columns_of_the_input_stay() -> None:
    rows = run(odd_fails, 3, on_error="null")

    assert values(rows) == [(0, 0), (1, None), (2, 20)]
    assert [row["tidegate_failed"] for row in rows] == [False, True, False]


def test_null_when_a_column_has_another_type_then_is_null_too() -> None:
    output = StructType().add("id", StringType()).add("price", LongType())

    async def fails(row: Row) -> Any:
        raise OSError("reset")

    assert values(run(fails, 1, output=output, on_error="null")) == [(None, None)]


def test_dead_letter_when_a_call_fails_then_tells_all() -> None:
    rows = run(odd_fails, 2, on_error="dead letter")

    assert rows[0]["tidegate_dead_letter"] is None
    assert rows[0]["tidegate_row"] is None
    assert rows[1]["tidegate_dead_letter"] == {
        "key": {"batch": 7, "partition": 3, "row": 1},
        "function": "price",
        "error": "OSError: reset",
        "attempts": 1,
    }
    second = datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)
    assert rows[1]["tidegate_row"] == {"id": 1, "time": second}


def test_dead_letter_when_a_list_fails_then_each_row_has_its_own() -> None:
    async def fails(rows: list[Row]) -> Any:
        # What a function does to its argument is not in the letters.
        rows.clear()
        raise OSError("reset")

    rows = run(fails, 3, rows_per_call=2, on_error="dead letter")

    assert [row["tidegate_dead_letter"]["key"]["row"] for row in rows] == [0, 1, 2]
    assert [row["tidegate_row"]["id"] for row in rows] == [0, 1, 2]
    assert [row["tidegate_failed"] for row in rows] == [True, None, True]


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (
            None,
            "a dict, a tuple or a Row with the columns of the output schema was wanted, found "
            "NoneType: None. Return a row for each row",
        ),
        (
            {"id": 1, "cost": 2},
            "the columns id, price were wanted, found id, cost. Return every column of the output "
            "schema, and no other",
        ),
        (
            (1,),
            "a tuple of 2 values was wanted, for the columns id, price, found 1. Return every "
            "column of the output schema",
        ),
        (
            (1, "dear"),
            "column price has the type bigint, found str: 'dear'. Return a value of that type, or "
            "change the output schema",
        ),
        (
            (None, 1),
            "column id is null, and the output schema says that it is not. Return a value, or make "
            "the column nullable",
        ),
    ],
)
def test_result_when_it_does_not_fit_then_says_why(result: Any, problem: str) -> None:
    output = StructType().add("id", LongType(), nullable=False).add("price", LongType())

    async def price(row: Row) -> Any:
        return result

    # Not a failure of the service: `on_error` is not asked.
    with pytest.raises(FailedCallError) as error:
        run(price, 1, output=output, on_error="null")

    assert str(error.value) == f"mapAsync: function price returned a wrong result: {problem}."


def test_result_when_it_cannot_tell_of_itself_then_its_type_is_told() -> None:
    class Wordless:
        def __repr__(self) -> str:
            raise RuntimeError("no words")

    async def price(row: Row) -> Any:
        return row.id, Wordless()

    with pytest.raises(FailedCallError) as error:
        run(price, 1)

    assert "column price has the type bigint, found Wordless. Return" in str(error.value)


@pytest.mark.parametrize(("result", "found"), [([(1, 1)], "1"), ((), "0"), ("ab", "str")])
def test_result_when_not_a_row_for_each_then_says_so(result: Any, found: str) -> None:
    async def price(rows: list[Row]) -> Any:
        return result

    with pytest.raises(FailedCallError) as error:
        run(price, 2, rows_per_call=2)

    assert str(error.value) == (
        "mapAsync: function price returned a wrong result: a list of 2 rows was wanted, one for "
        f"each row that it got, found {found}. Return the rows in the order of the argument."
    )


def test_partition_when_empty_then_gives_nothing() -> None:
    assert run(odd_fails) == []


def test_traceback_when_a_call_fails_then_the_worker_leaves_it_out() -> None:
    async def fails(row: Row) -> None:
        raise ValueError("boom")

    with pytest.raises(FailedCallError):
        run(fails, 1)
    assert os.environ[HIDES]


def test_traceback_when_something_else_fails_then_the_worker_shows_it() -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from batches(1)
        raise OSError("the rows cannot be read")

    async def price(row: Row) -> tuple[int, int]:
        return row.id, 1

    settings = CallSettings("price", True, 5, None, 0, False, 100, False)
    calls = StructType(list(CALLS.fields))
    mapper = AsyncMapper(lambda: price, settings, INPUT, OUTPUT, calls, None, "fail")
    with pytest.raises(OSError):
        list(mapper(broken()))
    assert not os.environ[HIDES]
