"""Asynchronous calls that ask PostgreSQL with asyncpg, over connections that last for a task."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from postgres import CONNECTIONS, Postgres, PostgresPrices, postgres
from pyspark.sql import DataFrame, SparkSession

import tidegate

ROWS = 10_000
TASKS = 2
PRICES = {i: i * 7 for i in range(ROWS)}
ENOUGH = 50
"""More retries than a restart of the server takes."""


@pytest.fixture
def server() -> Iterator[Postgres]:
    """Run PostgreSQL with a price for every row."""
    with postgres(PRICES) as server:
        yield server


def priced(
    spark: SparkSession, server: Postgres, at_gate: int | None = None, **options: Any
) -> DataFrame:
    rows = spark.range(0, ROWS, 1, TASKS)
    prices = PostgresPrices(server.socket, at_gate)
    return tidegate.mapAsync(rows, prices, "id long, price long", **options)


def test_postgres_when_asked_then_each_task_opens_its_connections_once_and_closes_them(
    spark: SparkSession, server: Postgres
) -> None:
    result = priced(spark, server).collect()

    assert [(row.id, row.price) for row in result] == list(PRICES.items())
    assert server.opened == TASKS * CONNECTIONS
    server.wait_for_sessions(0)


def test_postgres_when_killed_amid_a_call_then_calls_are_made_again_after_its_start(
    spark: SparkSession, server: Postgres
) -> None:
    result = priced(spark, server, at_gate=ROWS // 4, retries=ENOUGH)
    with ThreadPoolExecutor(1) as pool, server.closed_gate():
        rows = pool.submit(result.collect)
        # A task that has no connections yet could open none.
        server.wait_for_sessions(TASKS * CONNECTIONS)
        server.wait_for_sessions(1, waiting=True)
        server.kill()
        server.start()

        assert [(row.id, row.price) for row in rows.result(300)] == list(PRICES.items())

    metrics = result._jdf.queryExecution().executedPlan().metrics()
    assert metrics.apply("numRetries").value() > 0
    assert server.opened > TASKS * CONNECTIONS
    server.wait_for_sessions(0)


def test_postgres_when_killed_for_good_then_the_query_names_the_function_and_what_to_do(
    spark: SparkSession, server: Postgres
) -> None:
    result = priced(spark, server, at_gate=ROWS // 4, retries=1)
    with ThreadPoolExecutor(1) as pool, server.closed_gate():
        rows = pool.submit(result.collect)
        server.wait_for_sessions(1, waiting=True)
        server.kill()
        with pytest.raises(Exception) as error:
            rows.result(300)

    assert re.search(
        r"mapAsync: the call of function PostgresPrices for row \d+ of partition [01] in batch -1 "
        r"has failed after 2 attempts: \w+: .*\. Catch the error in the function, allow more "
        r"retries, or set onError to 'null' or 'dead letter'\.",
        str(error.value),
    )
    server.start()
    server.wait_for_sessions(0)


def test_postgres_when_it_is_away_from_the_beginning_then_the_query_says_that_setup_failed(
    spark: SparkSession, server: Postgres
) -> None:
    server.kill()

    with pytest.raises(Exception) as error:
        priced(spark, server).collect()

    assert re.search(
        r"mapAsync: setup of function PostgresPrices has failed: FileNotFoundError: .*\. The query "
        r"stops; start it again when the cause is gone\.",
        str(error.value),
    )
    server.start()
