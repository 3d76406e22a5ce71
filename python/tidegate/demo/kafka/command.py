"""The command line of the demonstration: ``python -m tidegate demo-kafka``."""

import argparse
import math
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from tidegate.demo.compare import expect
from tidegate.demo.engines import SparkEngine, TidegateEngine
from tidegate.demo.kafka import broker
from tidegate.demo.kafka.client import Client
from tidegate.demo.kafka.feed import TopicFeed
from tidegate.demo.kafka.interrupts import Interrupts
from tidegate.demo.kafka.log import BACKLOG, LAG_SECONDS, WINDOW_MS, Log, uneven
from tidegate.demo.kafka.queries import CountQuery
from tidegate.demo.kafka.screen import screen
from tidegate.demo.kafka.summary import summary
from tidegate.demo.kafka.watch import Watch
from tidegate.demo.kafka.writer import Writer
from tidegate.demo.session import session

TOPIC = "orders"
LEAST_ROWS = 1000
LEAST_PARTITIONS = 4
INTERRUPTED = 130
LOOK_SECONDS = 0.25
STOP_TIMEOUT = "20s"
READ_AHEAD = 2
"""A trigger may read so many times the rows written in its time, so that the backlog shrinks."""


def main(arguments: list[str]) -> int:
    """Run the demonstration, and return the exit code."""
    options = _parse(arguments)
    try:
        broker.check(options.jars)
        with Interrupts() as interrupts, tempfile.TemporaryDirectory(prefix="tidegate-") as folder:
            _run(options, Path(folder), interrupts)
    except (broker.BrokerError, TimeoutError) as error:
        return _failed(str(error))
    except (StreamingQueryException, Py4JJavaError) as error:
        return _failed(" ".join(["Kafka or a query failed.", *str(error).splitlines()[:2]]))
    except KeyboardInterrupt:
        print("Stopped: the queries and the broker are gone.", file=sys.stderr)
        return INTERRUPTED
    return 0


def _run(options: argparse.Namespace, folder: Path, interrupts: Interrupts) -> None:
    log = Log(uneven(options.rows, options.partitions))
    _say("Starting a broker and Spark.")
    with ExitStack() as stack:
        jars = options.jars
        await_start = stack.enter_context(broker.starting(jars / "broker", folder / "broker"))
        spark = session("tidegate demo-kafka", sorted((jars / "connector").glob("*.jar")))
        stack.callback(spark.stop)
        spark.conf.set("spark.sql.streaming.stopTimeout", STOP_TIMEOUT)
        address = await_start()
        interrupts.soften()
        writer = Writer(Client(address), TOPIC, log, options.seconds)
        stack.callback(writer.stop)
        _say(_introduction(log, options.idle_timeout))

        feed = _feed(log, address, options.seconds)
        queries = []
        for engine in (TidegateEngine(f"{options.idle_timeout:g} seconds"), SparkEngine()):
            queries.append(CountQuery.start(spark, feed, engine, folder))
            stack.callback(_stop, queries[-1].query)
        # A batch that is stopped in the middle, here after a failure, would log errors.
        stack.callback(spark.sparkContext.setLogLevel, "OFF")
        writer.start()
        _watch(Watch(log, *queries), writer, interrupts, options.timeout)
        spark.sparkContext.setLogLevel("OFF")
        for count in queries:
            count.query.stop()
        _say("\nAgainst a batch query over the same topic:\n")
        _say(summary(expect(spark, feed), queries))


def _stop(query: StreamingQuery) -> None:
    try:
        query.stop()
    except (StreamingQueryException, Py4JJavaError):
        # What does not stop in time ends with the session.
        pass


def _watch(watch: Watch, writer: Writer, interrupts: Interrupts, timeout: float) -> None:
    with screen(writer.log.bounds) as show:
        while True:
            snapshot = watch.snapshot()
            show(snapshot)
            if watch.finished:
                return
            if writer.failure is not None:
                raise writer.failure
            if watch.seconds > timeout:
                raise TimeoutError(
                    f"The queries were not done after {timeout:g} seconds. Try fewer --rows, or a "
                    "longer --timeout."
                )
            interrupts.wait(LOOK_SECONDS)


def _feed(log: Log, address: str, seconds: float) -> TopicFeed:
    written = len(log.rows) * (1 - BACKLOG) / seconds
    return TopicFeed(
        TOPIC,
        path=TOPIC,
        event_time=log.arrivals.event_time,
        lag=f"{LAG_SECONDS} seconds",
        window=f"{WINDOW_MS // 1000} seconds",
        end_marker=log.arrivals.end_marker,
        address=address,
        rows_per_trigger=math.ceil(READ_AHEAD * written),
    )


def _introduction(log: Log, idle_timeout: float) -> str:
    arrivals = log.arrivals
    return (
        f"A topic of {log.partitions} partitions: {arrivals.lagging} runs 5 minutes behind, "
        f"{arrivals.silent} falls silent half-way, and\n{arrivals.added} is added later. Counted "
        f"in windows of {WINDOW_MS // 1000} s, with a lag of {LAG_SECONDS} s; a partition is\n"
        f"idle after {idle_timeout:g} s. The last rows are an hour ahead: they close all windows.\n"
    )


def _say(text: str) -> None:
    print(text, flush=True)


def _failed(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tidegate demo-kafka",
        description="Start a Kafka broker, count the rows of a topic in windows, with Tidegate's "
        "watermark and with Spark's, and show how far each partition is.",
    )
    parser.add_argument("--rows", type=int, default=20_000, help="rows to write")
    parser.add_argument("--seconds", type=float, default=40, help="for how long to write them")
    parser.add_argument("--partitions", type=int, default=8, help="partitions at the beginning")
    parser.add_argument(
        "--idle-timeout", type=float, default=8, help="seconds of silence that make one idle"
    )
    parser.add_argument("--timeout", type=float, default=300, help="seconds for the queries")
    broker.add_option(parser)
    options = parser.parse_args(arguments)
    for name, least in (("rows", LEAST_ROWS), ("partitions", LEAST_PARTITIONS)):
        if getattr(options, name) < least:
            parser.error(f"--{name} must be at least {least}, found {getattr(options, name)}.")
    for name in ("seconds", "idle_timeout", "timeout"):
        if not 0 < getattr(options, name) < math.inf:
            option = name.replace("_", "-")
            parser.error(f"--{option} must be above 0, found {getattr(options, name):g}.")
    if options.seconds >= options.timeout:
        parser.error(
            f"--seconds must be below --timeout, found {options.seconds:g} and {options.timeout:g}."
        )
    return options
