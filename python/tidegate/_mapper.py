"""The Python side of ``mapAsync`` in a task: rows from Arrow, and Arrow from answers."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Row
from pyspark.sql.conversion import ArrowTableToRowsConversion, LocalDataToArrowConversion
from pyspark.sql.types import (
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tidegate._call import CallKey, Ended, Item
from tidegate._calls import Calls, CallSettings, FailedCallError, describe

BATCH_ID = "streaming.sql.batchId"
"""The local property in which Spark tells a task the number of its batch."""

CALL_FIELDS = [
    StructField("tidegate_micros", LongType()),
    StructField("tidegate_attempts", IntegerType()),
    StructField("tidegate_in_flight", IntegerType()),
    StructField("tidegate_failed", BooleanType()),
    StructField("tidegate_dead_letter", StringType()),
]
"""What the JVM counts, and takes off the rows."""

ROWS_PER_BATCH = 1000
"""How many rows leave together."""

NO_CALL = (None, None, None, None, None)


@dataclass(frozen=True)
class AsyncMapper:
    """What ``mapInArrow`` runs for each partition."""

    make_function: Callable[[], Any]
    settings: CallSettings
    input: StructType
    output: StructType
    rows_per_call: int | None
    """How many rows a call gets as a list; None: a call gets one row."""
    on_error: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the answers to the rows of a partition."""
        task = TaskContext.get()
        assert task is not None
        batch = int(task.getLocalProperty(BATCH_ID) or -1)
        items = self._items(batches, batch, task.partitionId())
        rows: list[tuple[Any, ...]] = []
        for ended in Calls(self.make_function, self.settings).run(items):
            rows.extend(self._rows(ended))
            if len(rows) >= ROWS_PER_BATCH:
                yield self._arrow(rows)
                rows = []
        if rows:
            yield self._arrow(rows)

    def _items(
        self, batches: Iterable[pa.RecordBatch], batch: int, partition: int
    ) -> Iterator[list[Item]]:
        number = count()
        for arrow in batches:
            rows = ArrowTableToRowsConversion.convert(pa.Table.from_batches([arrow]), self.input)
            keyed = [(CallKey(batch, partition, next(number)), row) for row in rows]
            if self.rows_per_call is None:
                yield [Item(key, row) for key, row in keyed]
            else:
                size = self.rows_per_call
                groups = [keyed[i : i + size] for i in range(0, len(keyed), size)]
                yield [Item(group[0][0], [row for _, row in group]) for group in groups]

    def _rows(self, ended: Ended) -> Iterator[tuple[Any, ...]]:
        arguments = ended.item.argument if self.rows_per_call else [ended.item.argument]
        failed = ended.error is not None
        call: tuple[Any, ...] = (ended.micros, ended.attempts, ended.in_flight, failed)
        for i, (argument, row) in enumerate(zip(arguments, self._results(ended, arguments))):
            letter = self._letter(ended, i, argument) if failed else None
            # The first row of a call tells of the call.
            yield (*row, *(call if i == 0 else NO_CALL[:4]), letter)

    def _results(self, ended: Ended, arguments: Sequence[Row]) -> Sequence[tuple[Any, ...]]:
        if ended.error is not None:
            return [self._without_answer(row) for row in arguments]
        if self.rows_per_call is None:
            return [self._tuple(ended.result)]
        if not isinstance(ended.result, list | tuple) or len(ended.result) != len(arguments):
            found = type(ended.result).__name__
            if isinstance(ended.result, list | tuple):
                found = f"{len(ended.result)}"
            raise self._misfit(
                f"a list of {len(arguments)} rows was wanted, one for each row that it got, found "
                f"{found}. Return the rows in the order of the argument"
            )
        return [self._tuple(result) for result in ended.result]

    def _without_answer(self, row: Row) -> tuple[Any, ...]:
        """Keep the columns of the input that the output has too; the others are null."""
        kept = {f.name: f.dataType for f in self.input.fields}
        return tuple(
            row[f.name] if kept.get(f.name) == f.dataType else None for f in self.output.fields
        )

    def _tuple(self, result: Any) -> tuple[Any, ...]:
        names = self.output.fieldNames()
        if isinstance(result, Row) and hasattr(result, "__fields__"):
            result = dict(zip(result.__fields__, result))
        if isinstance(result, dict):
            if result.keys() != set(names):
                raise self._misfit(
                    f"the columns {_listed(names)} were wanted, found {_listed(result)}. Return "
                    "every column of the output schema, and no other"
                )
            return tuple(result[name] for name in names)
        if not isinstance(result, tuple):
            raise self._misfit(
                "a dict, a tuple or a Row with the columns of the output schema was wanted, found "
                f"{_shown(result)}. Return a row for each row"
            )
        if len(result) != len(names):
            raise self._misfit(
                f"a tuple of {len(names)} values was wanted, for the columns {_listed(names)}, "
                f"found {len(result)}. Return every column of the output schema"
            )
        return result

    def _letter(self, ended: Ended, place: int, argument: Row) -> str | None:
        if self.on_error != "dead letter":
            return None
        assert ended.error is not None
        key = ended.item.key
        letter = {
            "key": {**key._asdict(), "row": key.row + place},
            "function": self.settings.function,
            "error": describe(ended.error),
            "attempts": ended.attempts,
            "row": argument.asDict(recursive=True),
        }
        return json.dumps(letter, default=str)

    def _arrow(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        wide = StructType([_nullable(f) for f in self.output.fields] + CALL_FIELDS)
        try:
            table = LocalDataToArrowConversion.convert(rows, wide, False)
        except Exception as error:
            raise self._wrong_value(rows, error) from error
        for field, column in zip(self.output.fields, table.columns):
            if not field.nullable and column.null_count > self._letters(rows):
                raise self._misfit(
                    f"column {field.name} is null, and the output schema says that it is not. "
                    "Return a value, or make the column nullable"
                )
        return table.combine_chunks().to_batches()[0]

    def _letters(self, rows: list[tuple[Any, ...]]) -> int:
        return sum(row[-1] is not None for row in rows)

    def _wrong_value(self, rows: list[tuple[Any, ...]], error: Exception) -> FailedCallError:
        """Find the value that has not the type of its column."""
        for i, field in enumerate(self.output.fields):
            alone = StructType([_nullable(field)])
            for row in rows:
                try:
                    LocalDataToArrowConversion.convert([(row[i],)], alone, False)
                except Exception:
                    return self._misfit(
                        f"column {field.name} has the type {field.dataType.simpleString()}, found "
                        f"{_shown(row[i])}. Return a value of that type, "
                        "or change the output schema"
                    )
        return self._misfit(f"the rows do not fit the output schema: {describe(error)}")

    def _misfit(self, text: str) -> FailedCallError:
        name = self.settings.function
        return FailedCallError(f"mapAsync: function {name} returned a wrong result: {text}.")


def _nullable(field: StructField) -> StructField:
    return StructField(field.name, field.dataType)


def _shown(value: Any) -> str:
    """Return the type and the beginning of a value, also of one that cannot tell of itself."""
    name = type(value).__name__
    try:
        return f"{name}: {value!r:.100}"
    except Exception:
        return name


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names)) or "none"
