"""Asynchronous calls on batch data and streams, with services that hang, die, and are slow."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import services
from pyspark.errors import AnalysisException, PythonException, StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, MapType, StructType
from services import HttpPrices, PriceServer, RedisPrices

import tidegate
from feeds import Feed
from logs import wait_for

PRICED = "id long, time timestamp, partition int, price long"


@pytest.fixture
def server() -> Iterator[PriceServer]:
    """Run a server of prices."""
    server = PriceServer()
    server.start()
    yield server
    server.stop()


def priced(rows: DataFrame, server: PriceServer, **options: Any) -> DataFrame:
    return tidegate.mapAsync(rows, HttpPrices(server.port), PRICED, **options)


def prices(rows: list[Any]) -> list[tuple[int, int]]:
    return [(row.id, row.price) for row in rows]


def feed_of(feed: Feed, *batches: int) -> Feed:
    """Add a file for each number, with so many rows; ids begin anew in each."""
    for minute, size in enumerate(batches):
        feed.add(*[(f"12:{minute:02d}:{i:02d}", 0) for i in range(size)])
    return feed


def test_batch_when_the_server_answers_in_reverse_then_rows_keep_their_order(
    feed: Feed, server: PriceServer
) -> None:
    waiting: list[asyncio.Event] = []

    async def in_reverse(_: int) -> None:
        mine = asyncio.Event()
        waiting.append(mine)
        if len(waiting) == 4:
            for event in reversed(waiting):
                event.set()
            waiting.clear()
        await mine.wait()

    server.answers = in_reverse
    feed_of(feed, 8)

    result = priced(feed.batch().coalesce(1), server, maxInFlight=4).collect()

    assert prices(result) == [(i, i * 10) for i in range(8)]
    assert server.most_in_flight == 4
    # The connections of a task serve all of its calls.
    assert server.connections == 4


@pytest.mark.parametrize("ordered", [False, True])
def test_batch_when_the_server_is_slow_for_one_row_then_only_order_waits_for_it(
    feed: Feed, server: PriceServer, ordered: bool
) -> None:
    others = asyncio.Event()
    seen: list[int] = []

    async def slow_for_0(number: int) -> None:
        if number == 0:
            await others.wait()
        else:
            seen.append(number)
            if len(seen) == 3:
                others.set()

    server.answers = slow_for_0
    feed_of(feed, 4)

    result = priced(feed.batch().coalesce(1), server, ordered=ordered).collect()

    found = [row.id for row in result]
    assert found == [0, 1, 2, 3] if ordered else found[-1] == 0


def test_stream_when_windows_follow_then_time_is_that_of_the_input(
    feed: Feed, server: PriceServer
) -> None:
    feed.add(("12:00:05", 0), ("12:00:50", 1), ("12:02:10", 1))
    feed.add(("12:01:30", 0), ("12:02:20", 1))

    def counted() -> DataFrame:
        rows = tidegate.withKeyedWatermark(
            feed.stream(), "time", "0 seconds", substream="partition"
        )
        windows = priced(rows, server).groupBy(F.window("time", "1 minute")).agg(F.sum("price"))
        return windows.select(F.date_format("window.start", "HH:mm"), "sum(price)")

    # Partition 0 holds time back at 12:01:30.
    assert feed.run(counted()) == [("12:00", 10)]
    # The run after a restart calls for new rows alone, and drops the late one.
    feed.add(("12:03:30", 0), ("12:03:40", 1), ("12:00:59", 0))
    server.asked.clear()
    assert sorted(feed.run(counted())) == [("12:01", 0), ("12:02", 30)]
    assert len(server.asked) == 3


def test_stream_when_stopped_amid_its_calls_then_a_restart_makes_them_again(
    feed: Feed, server: PriceServer
) -> None:
    all_asked = threading.Event()

    async def never(_: int) -> None:
        if server.in_flight == 3:
            all_asked.set()
        await asyncio.Event().wait()

    server.answers = never
    feed_of(feed, 3)
    with feed.running(priced(feed.stream(), server)) as (query, _):
        assert all_asked.wait(120)
        query.stop()
    first = sorted(server.asked)
    server.asked.clear()
    server.answers = services._at_once

    result = feed.run(priced(feed.stream(), server))

    assert [(row[0], row[3]) for row in result] == [(0, 0), (1, 10), (2, 20)]
    # With the same keys: batch, partition, row.
    assert sorted(server.asked) == first == [(i, f"0-0-{i}") for i in range(3)]


@pytest.mark.at_night
def test_stream_when_its_process_is_killed_amid_calls_then_each_row_is_there_once(
    feed: Feed, server: PriceServer, tmp_path: Path
) -> None:
    hold, all_asked = threading.Event(), threading.Event()
    held: list[int] = []

    async def all_but_3_wait(number: int) -> None:
        if hold.is_set():
            held.append(number)
            if len(held) == 4:
                all_asked.set()
            if number != 3:
                await asyncio.Event().wait()

    server.answers = all_but_3_wait
    output = tmp_path / "output"
    feed_of(feed, 2)
    with killed_at_the_end(feed, server, output):
        server.asked.clear()
        hold.set()
        feed_of(feed, 4)
        assert all_asked.wait(120)
    first = sorted(server.asked)
    assert first == [(i, f"1-0-{i}") for i in range(4)]
    assert written(feed, output) == [(0, 0), (1, 10)]

    hold.clear()
    server.asked.clear()
    with killed_at_the_end(feed, server, output):
        # All calls of the batch are made again, with the keys that they had.
        assert sorted(server.asked) == first
    assert written(feed, output) == [(0, 0), (0, 0), (1, 10), (1, 10), (2, 20), (3, 30)]


CHILD = """
import sys
import sessions
import tidegate
from services import HttpPrices

folder, checkpoint, port, output = sys.argv[1:]
spark = tidegate.configure(sessions.builder()).getOrCreate()
rows = spark.readStream.schema("id long, time timestamp, partition int")
rows = rows.option("maxFilesPerTrigger", 1).json(folder)
priced = tidegate.mapAsync(
    rows, HttpPrices(int(port)), "id long, time timestamp, partition int, price long")
query = priced.writeStream.option("checkpointLocation", checkpoint).format("json").start(output)
query.processAllAvailable()
print("all is read", flush=True)
query.awaitTermination()
"""


@contextmanager
def killed_at_the_end(feed: Feed, server: PriceServer, output: Path) -> Iterator[None]:
    """Run a query in a process, from when all is read; then kill its Python and its JVM."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, feed.folder, feed.checkpoint, str(server.port), output],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        wait_for(re.compile("all is read"), process.stdout, "the query")
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)


def written(feed: Feed, output: Path) -> list[tuple[int, int]]:
    """Return what the sink has committed."""
    return sorted(prices(feed.spark.read.json(str(output)).collect()))


def test_stream_when_the_server_dies_then_the_query_fails_and_goes_on_after_a_restart(
    feed: Feed, server: PriceServer
) -> None:
    feed_of(feed, 2)
    assert len(feed.run(priced(feed.stream(), server))) == 2
    feed.add(("12:05:00", 0))
    server.stop()

    with pytest.raises(StreamingQueryException) as error:
        feed.run(priced(feed.stream(), server, retries=0))
    assert (
        "mapAsync: the call of function HttpPrices for row 0 of partition 0 in batch 1 has failed "
        "after 1 attempt: ConnectionRefusedError: "
    ) in str(error.value)
    assert "set onError to 'null' or 'dead letter'." in str(error.value)

    with pytest.raises(PythonException) as failed:
        priced(feed.batch(), server, retries=0).collect()
    assert "FailedCallError: mapAsync: the call of function" in str(failed.value)
    assert "Traceback" not in str(failed.value)

    server.start()
    assert [row[3] for row in feed.run(priced(feed.stream(), server))] == [0]


def test_breaker_when_the_server_is_down_then_names_the_function(
    feed: Feed, server: PriceServer
) -> None:
    server.stop()
    feed_of(feed, 5)

    with pytest.raises(Exception) as error:
        priced(feed.batch().coalesce(1), server, onError="null", retries=0, breakAfter=3).collect()

    assert (
        "mapAsync: 3 calls of function HttpPrices in a row have failed, the last one with: "
        "ConnectionRefusedError: "
    ) in str(error.value)
    assert "Start it again when the service answers, or raise breakAfter." in str(error.value)
    server.start()


def test_null_when_the_server_hangs_for_a_row_then_the_row_is_null_after_its_time(
    feed: Feed, server: PriceServer
) -> None:
    async def hangs_for_1(number: int) -> None:
        if number == 1:
            await asyncio.Event().wait()

    server.answers = hangs_for_1
    feed_of(feed, 3)

    result = priced(
        feed.batch().coalesce(1), server, onError="null", retries=1, timeout="50 milliseconds"
    ).collect()

    assert prices(result) == [(0, 0), (1, None), (2, 20)]
    assert all(row.time is not None for row in result)
    assert [number for number, _ in server.asked].count(1) == 2


def test_dead_letter_when_calls_fail_then_a_replay_replaces_the_file(
    feed: Feed, server: PriceServer, tmp_path: Path
) -> None:
    async def closes_for_1(number: int) -> None:
        if number == 1:
            raise ConnectionError

    server.answers = closes_for_1
    feed_of(feed, 3)
    folder = tmp_path / "letters"
    calls = priced(feed.stream(), server, onError="dead letter", deadLetters=str(folder), retries=0)

    def fail(_: DataFrame, __: int) -> None:
        _.collect()
        raise ValueError("made to fail")

    query = calls.writeStream.option("checkpointLocation", feed.checkpoint).foreachBatch(fail)
    with pytest.raises(StreamingQueryException):
        query.start().processAllAvailable()
    first = [file.read_text() for file in folder.glob("*.json")]

    assert [row[0] for row in feed.run(calls)] == [0, 2]
    assert [file.read_text() for file in folder.glob("*.json")] == first
    letter = json.loads("".join(first))
    assert letter["key"] == {"batch": 0, "partition": 0, "row": 1}
    assert letter["function"] == "HttpPrices"
    assert letter["error"].startswith("IncompleteReadError: ")
    assert letter["attempts"] == 1
    assert letter["row"]["id"] == 1


EVERY_TYPE = """
    SELECT true AS bool, 1Y AS byte, 2S AS short, 3 AS int, -9223372036854775808L AS long,
        float('NaN') AS float, double('-Infinity') AS double, -0.10BD AS decimal,
        'a\\n"' AS text, X'00FF' AS bytes, date'1500-01-01' AS day,
        timestamp'2026-10-25 01:30:00.123456Z' AS time,
        timestamp_ntz'0001-01-01 00:00:00.000001' AS ntz,
        interval '1 02:03:04.000005' day to second AS span, array(1, null) AS array,
        map('k', array(X'01')) AS map, named_struct('a', X'01', 'b', array(1.5F)) AS struct,
        map(date'2026-01-01', 1) AS day_map, map(1.10BD, X'01') AS decimal_map,
        map(timestamp'2026-10-25 01:30:00.000001Z', 1) AS time_map, map(X'00', 1) AS bytes_map,
        map(named_struct('d', date'2026-01-01'), named_struct('n', double('NaN'))) AS struct_map
"""


def test_dead_letter_when_read_back_then_is_the_row_of_any_type(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.sql(EVERY_TYPE)

    async def spoil(row: Any) -> Any:
        row.array.append(2)
        raise ValueError("odd")

    letters = str(tmp_path / "letters")
    none = tidegate.mapAsync(
        rows, spoil, "id int", retries=0, onError="dead letter", deadLetters=letters
    )
    assert none.count() == 0

    maps = {f.name for f in rows.schema if f.name.endswith("_map")}
    row = StructType()
    for field in rows.schema:
        kind = field.dataType
        if field.name in maps:
            assert isinstance(kind, MapType)
            entry = StructType().add("key", kind.keyType).add("value", kind.valueType)
            kind = ArrayType(entry)
        row.add(field.name, kind)
    dead = spark.read.schema(StructType().add("row", row)).json(letters).select("row.*")
    again = dead.select(
        [F.map_from_entries(n).alias(n) if n in maps else F.col(n) for n in dead.columns]
    )

    def texts(df: DataFrame) -> list[Any]:
        return df.select([F.col(n).cast("string").alias(n) for n in df.columns]).collect()

    assert texts(again) == texts(rows)

    async def same(row: Any) -> Any:
        return (row.int,)

    assert tidegate.mapAsync(again, same, "int int").collect() == [Row(int=3)]


def test_redis_when_asked_over_one_connection_then_answers_all_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    known = {i: i * 7 for i in range(0, 300, 2)}
    with services.redis(tmp_path, known) as socket:
        rows = spark.range(0, 300, 1, 2)
        result = tidegate.mapAsync(rows, RedisPrices(socket), "id long, price long").collect()

    assert prices(result) == [(i, known.get(i)) for i in range(300)]


def test_result_when_joined_with_itself_or_read_in_part_then_is_as_any_other(
    spark: SparkSession,
) -> None:
    async def priced(row: Any) -> Any:
        return (row.id, row.id * 10)

    mapped = tidegate.mapAsync(spark.range(3), priced, "id long, price long")

    assert mapped.join(mapped, "id").count() == 3
    assert [row.price for row in mapped.where("id > 0").select("price").collect()] == [10, 20]


def test_metrics_when_a_call_is_retried_then_the_node_counts_it(
    feed: Feed, server: PriceServer
) -> None:
    async def closes_once(_: int) -> None:
        if len(server.asked) == 1:
            raise ConnectionError

    server.answers = closes_once
    feed_of(feed, 3)

    result = priced(feed.batch().coalesce(1), server, retries=1)
    result.collect()

    node = result._jdf.queryExecution().executedPlan()
    assert node.simpleString(25) == "AsyncCalls HttpPrices"
    assert metrics(result, "numCalls", "numRetries") == [3, 1]


def test_metrics_when_a_call_fails_for_good_then_the_node_counts_it_and_its_time(
    feed: Feed, server: PriceServer, tmp_path: Path
) -> None:
    async def hangs_for_1(number: int) -> None:
        if number == 1:
            await asyncio.Event().wait()

    server.answers = hangs_for_1
    feed_of(feed, 8)

    result = priced(
        feed.batch().coalesce(1),
        server,
        maxInFlight=4,
        timeout="2 seconds",
        retries=0,
        onError="dead letter",
        deadLetters=str(tmp_path / "letters"),
    )
    assert len(result.collect()) == 7

    assert metrics(result, "numCalls", "numFailedCalls", "numDeadLetters") == [8, 1, 1]
    # Averages over tasks are kept in tenths, and times of calls are at most 3 % too low.
    most, p50, p99 = metrics(result, "mostInFlight", "callTimeP50", "callTimeP99")
    assert most == 40
    assert 0 < p50 < 19_000 < p99


def metrics(result: DataFrame, *names: str) -> list[int]:
    """Return metrics of the node of the calls, after a result was collected."""
    node = result._jdf.queryExecution().executedPlan()
    return [node.metrics().apply(name).value() for name in names]


def test_rows_per_call_when_given_then_a_call_gets_a_list(spark: SparkSession) -> None:
    async def halves(rows: list[Any]) -> list[Any]:
        return [(row.id, len(rows)) for row in rows]

    rows = spark.range(0, 5, 1, 1)
    result = tidegate.mapAsync(rows, halves, "id long, price long", rowsPerCall=2).collect()

    assert prices(result) == [(0, 2), (1, 2), (2, 2), (3, 2), (4, 1)]


def test_result_when_it_does_not_fit_then_says_why(spark: SparkSession) -> None:
    async def text(row: Any) -> Any:
        return (row.id, "dear")

    name = "test_result_when_it_does_not_fit_then_says_why.<locals>.text"

    with pytest.raises(Exception) as error:
        tidegate.mapAsync(spark.range(1), text, "id long, price long").collect()

    assert (
        f"mapAsync: function {name} returned a wrong result: column price has the type bigint, "
        "found str: 'dear'. Return a value of that type, or change the output schema."
    ) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "condition"),
    [
        ({"schema": "id"}, "TIDEGATE_CALL_SCHEMA"),
        ({"schema": "id long, ID long"}, "TIDEGATE_CALL_COLUMN_TWICE"),
        ({"timeout": "soon"}, "TIDEGATE_INVALID_DURATION"),
        ({"schema": "price long not null", "onError": "null"}, "TIDEGATE_CALL_NULL_COLUMN"),
        (
            {"onError": "dead letter", "deadLetters": "tape://letters"},
            "TIDEGATE_CALL_DEAD_LETTER_FOLDER",
        ),
    ],
)
def test_argument_when_refused_on_the_jvm_then_has_its_condition(
    spark: SparkSession, arguments: dict[str, Any], condition: str
) -> None:
    async def same(row: Any) -> Any:
        return row

    with pytest.raises(AnalysisException) as error:
        tidegate.mapAsync(spark.range(1), same, **({"schema": "id long"} | arguments))

    assert error.value.getCondition() == condition
