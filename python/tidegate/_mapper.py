"""The Python side of ``mapAsync`` in a task: rows from Arrow, and Arrow from answers."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Row
from pyspark.sql.conversion import ArrowTableToRowsConversion, LocalDataToArrowConversion
from pyspark.sql.types import StructField, StructType

from tidegate._call import CallKey, Ended, Item
from tidegate._calls import Calls, CallSettings, FailedCallError, describe

BATCH_ID = "streaming.sql.batchId"
"""The local property in which Spark tells a task the number of its batch."""

ROW = "tidegate_row"
"""The name of the column that has dead rows."""

ROWS_PER_BATCH = 1000
"""How many rows leave together."""

NO_CALL = (None, None, None, None)


@dataclass(frozen=True)
class AsyncMapper:
    """What ``mapInArrow`` runs for each partition."""

    make_function: Callable[[], Any]
    settings: CallSettings
    input: StructType
    output: StructType
    calls: StructType
    """What the JVM counts or writes, and takes off the rows; the last one has dead rows, if any."""
    rows_per_call: int | None
    """How many rows a call gets as a list; None: a call gets one row."""
    on_error: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the answers to the rows of a partition."""
        try:
            yield from self._answers(batches)
        except FailedCallError:
            # The worker ends with this error, whose sentence says all: users see no traceback of
            # Tidegate's in front of it.
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
            raise

    def _answers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = TaskContext.get()
        assert task is not None
        batch = int(task.getLocalProperty(BATCH_ID) or -1)
        items = self._items(batches, batch, task.partitionId())
        rows: list[tuple[Any, ...]] = []
        dead: list[pa.RecordBatch | None] = []
        for ended in Calls(self.make_function, self.settings).run(items):
            rows.extend(self._rows(ended))
            dead.extend(self._dead(ended))
            if len(rows) >= ROWS_PER_BATCH:
                yield self._arrow(rows, dead)
                rows, dead = [], []
        if rows:
            yield self._arrow(rows, dead)

    def _items(
        self, batches: Iterable[pa.RecordBatch], batch: int, partition: int
    ) -> Iterator[list[Item]]:
        begin = 0
        for arrow in batches:
            rows = self._python(arrow)
            size = self.rows_per_call or 1
            yield [
                Item(
                    CallKey(batch, partition, begin + i),
                    rows[i] if self.rows_per_call is None else rows[i : i + size],
                    arrow.slice(i, size),
                )
                for i in range(0, len(rows), size)
            ]
            begin += len(rows)

    def _python(self, arrow: pa.RecordBatch) -> list[Row]:
        return list(ArrowTableToRowsConversion.convert(pa.Table.from_batches([arrow]), self.input))

    def _rows(self, ended: Ended) -> Iterator[tuple[Any, ...]]:
        failed = ended.error is not None
        call: tuple[Any, ...] = (ended.micros, ended.attempts, ended.in_flight, failed)
        for i, row in enumerate(self._results(ended)):
            letter = self._letter(ended, i) if failed else None
            # The first row of a call tells of the call.
            yield (*row, *(call if i == 0 else NO_CALL), letter)

    def _results(self, ended: Ended) -> Sequence[tuple[Any, ...]]:
        came: pa.RecordBatch = ended.item.origin
        if ended.error is not None:
            # Made again: the function may have changed what it got.
            return [self._without_answer(row) for row in self._python(came)]
        if self.rows_per_call is None:
            return [self._tuple(ended.result)]
        if not isinstance(ended.result, list | tuple) or len(ended.result) != came.num_rows:
            found = type(ended.result).__name__
            if isinstance(ended.result, list | tuple):
                found = f"{len(ended.result)}"
            raise self._misfit(
                f"a list of {came.num_rows} rows was wanted, one for each row that it got, found "
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

    def _letter(self, ended: Ended, place: int) -> tuple[Any, ...] | None:
        if self.on_error != "dead letter":
            return None
        assert ended.error is not None
        key = ended.item.key
        key = key._replace(row=key.row + place)
        return (tuple(key), self.settings.function, describe(ended.error), ended.attempts)

    def _dead(self, ended: Ended) -> list[pa.RecordBatch | None]:
        """Return the rows of a call as they came, if they have dead letters."""
        came: pa.RecordBatch = ended.item.origin
        is_dead = ended.error is not None and self.on_error == "dead letter"
        return [came.slice(i, 1) if is_dead else None for i in range(came.num_rows)]

    def _arrow(
        self, rows: list[tuple[Any, ...]], dead: list[pa.RecordBatch | None]
    ) -> pa.RecordBatch:
        told = [f for f in self.calls.fields if f.name != ROW]
        wide = StructType([_nullable(f) for f in self.output.fields] + told)
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
        if self.on_error == "dead letter":
            table = table.append_column(ROW, [_as_they_came(dead, self.calls[ROW])])
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


def _as_they_came(rows: list[pa.RecordBatch | None], field: StructField) -> pa.Array:
    """Return rows with the values that Spark sent: no type loses anything on its way back."""
    empty = LocalDataToArrowConversion.convert([(None,)], StructType([field]), False)
    wanted = empty.schema.types[0]
    columns = [wanted.field(i) for i in range(wanted.num_fields)]
    dead = [
        pa.StructArray.from_arrays(
            [came.cast(column.type) for came, column in zip(row.columns, columns)], fields=columns
        )
        for row in rows
        if row is not None
    ]
    if not dead:
        return pa.nulls(len(rows), wanted)
    number = count()
    places = [None if row is None else next(number) for row in rows]
    return pa.concat_arrays(dead).take(pa.array(places, pa.int64()))


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
