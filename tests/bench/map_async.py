"""`mapAsync` against `mapInPandas` with a thread pool, and Flink, on the same server, in one run.

Run it with `make bench-async`, or with `make bench-async-flink` to have Flink in it.
"""

import argparse
import asyncio
import multiprocessing
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
from bench import processor
from bench.flink_async import Flink, flink
from pyspark.sql import DataFrame
from services import HttpPrices, PriceServer

import sessions
import tidegate

SCHEMA = "id long, price long"

ROWS, IN_FLIGHT, DELAY_MS = 10_000, 256, 20.0
TARGET_SECONDS = 3.0
"""How long `mapAsync` may take with these numbers, on two cores."""


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


@dataclass
class Side:
    """What is compared, and its times in seconds of each round."""

    name: str
    run: Callable[[], tuple[float, int]]
    """Asks for all prices, and returns the time in seconds and the sum."""
    process: int
    taken: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def measure(self, total: int) -> None:
        """Run once, and check the sum of the prices."""
        before = processor.seconds(self.process)
        took, found = self.run()
        assert found == total, f"{self.name}: the sum of the prices is {found}"
        self.taken.append(took)
        self.processor.append(processor.seconds(self.process) - before)

    def line(self, bases: list["Side"]) -> str:
        """Return the times, and their ratio to those of other sides."""
        median = statistics.median(self.taken)
        text = f"{self.name:26} min {min(self.taken):5.2f} s  median {median:5.2f} s"
        text += f"  processor {statistics.median(self.processor):5.2f} s"
        for base in bases:
            ratio = statistics.median(t / b for t, b in zip(self.taken, base.taken, strict=True))
            text += f"  {ratio:.2f} of {base.name}"
        return text


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


def sides(rows: DataFrame, port: int, in_flight: int) -> list[Side]:
    """Return what is compared in Spark."""

    def mapped(ordered: bool) -> DataFrame:
        return tidegate.mapAsync(
            rows, HttpPrices(port), SCHEMA, ordered=ordered, maxInFlight=in_flight
        )

    frames = {
        "mapInPandas with threads": rows.mapInPandas(with_threads(port, in_flight), SCHEMA),
        "mapAsync, ordered": mapped(True),
        "mapAsync, unordered": mapped(False),
    }
    gateway: Any = rows.sparkSession.sparkContext._gateway
    return [Side(name, partial(summed, df), gateway.proc.pid) for name, df in frames.items()]


def flink_sides(cluster: Flink) -> list[Side]:
    """Return what is compared in Flink."""
    return [
        Side("Flink, ordered", partial(cluster.run, True), cluster.pid),
        Side("Flink, unordered", partial(cluster.run, False), cluster.pid),
    ]


def summed(df: DataFrame) -> tuple[float, int]:
    """Add up the prices."""
    began = time.perf_counter()
    total = df.agg({"price": "sum"}).collect()[0][0]
    return time.perf_counter() - began, total


def compare(compared: list[Side], count: int, rounds: int) -> None:
    """Run all sides, in both orders by turns, and print their times."""
    total = 10 * count * (count - 1) // 2
    # The first round starts the Python workers.
    for turn in range(rounds + 1):
        for side in compared if turn % 2 else reversed(compared):
            side.measure(total)
    for side in compared:
        del side.taken[0], side.processor[0]
    bases = [side for side in compared if side.name.startswith(("mapInPandas", "Flink"))]
    for side in compared:
        print(side.line(bases))


def missed(compared: list[Side]) -> list[str]:
    """Return a sentence for each side of `mapAsync` that took longer than the target."""
    medians = {
        s.name: statistics.median(s.taken) for s in compared if s.name.startswith("mapAsync")
    }
    return [
        f"{name} took {median:.2f} s, and may take {TARGET_SECONDS:g} s."
        for name, median in medians.items()
        if median > TARGET_SECONDS
    ]


def main() -> None:
    """Start the server in a process of its own, and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--in-flight", type=int, default=IN_FLIGHT)
    parser.add_argument("--delay-ms", type=float, default=DELAY_MS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--flink", type=Path, help="folder with Flink's side, if it takes part")
    arguments = parser.parse_args()
    count, in_flight, rounds = arguments.rows, arguments.in_flight, arguments.rounds

    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    server = context.Process(target=serve, args=(arguments.delay_ms / 1000, theirs), daemon=True)
    server.start()
    spark = tidegate.configure(sessions.builder()).getOrCreate()
    with ExitStack() as stack:
        stack.callback(server.terminate)
        stack.callback(spark.stop)
        port = ours.recv()
        compared = sides(spark.range(0, count, 1, 2), port, in_flight)
        if arguments.flink is not None:
            cluster = stack.enter_context(flink(arguments.flink, port, count, in_flight))
            compared += flink_sides(cluster)
        print(f"{count} rows, {in_flight} in flight in each of 2 tasks, {rounds} rounds")
        compare(compared, count, rounds)
    if (count, in_flight, arguments.delay_ms) == (ROWS, IN_FLIGHT, DELAY_MS):
        sys.exit("\n".join(missed(compared)) or 0)


if __name__ == "__main__":
    main()
