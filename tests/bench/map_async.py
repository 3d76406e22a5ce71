"""`mapAsync` against `mapInPandas` with a thread pool, on the same server, in one run.

Run it with `make bench-async`.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from typing import TypeAlias

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from services import HttpPrices, PriceServer

import sessions
import tidegate

SCHEMA = "id long, price long"


def serve(delay: float, port: Connection) -> None:
    """Answer each request after `delay` seconds, until the pipe is closed."""

    async def wait(_: int) -> None:
        await asyncio.sleep(delay)

    server = PriceServer()
    server.answers = wait
    server.start()
    port.send(server.port)
    port.poll(None)


Batches: TypeAlias = Iterator[pd.DataFrame]


def with_threads(port: int, threads: int) -> Callable[[Batches], Batches]:
    """Return what `mapInPandas` runs: a pool of threads, each with a connection of its own."""

    def run(batches: Batches) -> Batches:
        local = threading.local()

        def price(number: int) -> int:
            if not hasattr(local, "connection"):
                local.connection = HTTPConnection("127.0.0.1", port)
            local.connection.request("GET", f"/{number}")
            return int(local.connection.getresponse().read())

        with ThreadPoolExecutor(threads) as pool:
            for batch in batches:
                yield pd.DataFrame({"id": batch["id"], "price": list(pool.map(price, batch["id"]))})

    return run


def sides(rows: DataFrame, port: int, in_flight: int) -> dict[str, DataFrame]:
    """Return what is compared."""

    def mapped(ordered: bool) -> DataFrame:
        return tidegate.mapAsync(
            rows, HttpPrices(port), SCHEMA, ordered=ordered, maxInFlight=in_flight
        )

    return {
        "mapInPandas with threads": rows.mapInPandas(with_threads(port, in_flight), SCHEMA),
        "mapAsync, ordered": mapped(True),
        "mapAsync, unordered": mapped(False),
    }


def seconds(df: DataFrame, count: int) -> float:
    """Run once, and check the answers."""
    began = time.perf_counter()
    total = df.agg({"price": "sum"}).collect()[0][0]
    took = time.perf_counter() - began
    assert total == 10 * count * (count - 1) // 2, f"wrong answers: their sum is {total}"
    return took


def compare(spark: SparkSession, port: int, count: int, in_flight: int, rounds: int) -> None:
    """Run all sides, in both orders by turns, and print their times."""
    rows = spark.range(0, count, 1, 2)
    runs = sides(rows, port, in_flight)
    times: dict[str, list[float]] = {name: [] for name in runs}
    # The first round starts the Python workers.
    for turn in range(rounds + 1):
        order = list(runs) if turn % 2 else list(reversed(runs))
        for name in order:
            took = seconds(runs[name], count)
            if turn > 0:
                times[name].append(took)
    base = next(iter(times.values()))
    print(f"{count} rows, {in_flight} in flight in each of 2 tasks, {rounds} rounds")
    for name, taken in times.items():
        ratio = statistics.median(t / b for t, b in zip(taken, base))
        print(
            f"{name:26} min {min(taken):5.2f} s  median {statistics.median(taken):5.2f} s  "
            f"ratio {ratio:.2f}"
        )


def main() -> None:
    """Start the server in a process of its own, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--delay-ms", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    server = context.Process(target=serve, args=(arguments.delay_ms / 1000, theirs), daemon=True)
    server.start()
    spark = tidegate.configure(sessions.builder()).getOrCreate()
    try:
        port = ours.recv()
        compare(spark, port, arguments.rows, arguments.in_flight, arguments.rounds)
    finally:
        spark.stop()
        server.terminate()


if __name__ == "__main__":
    main()
