"""The command line of the demonstration: ``python -m tidegate demo``."""

import argparse
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tidegate.demo.compare import compare, expect
from tidegate.demo.engines import Engine, SparkEngine, TidegateEngine
from tidegate.demo.feed import Feed
from tidegate.demo.generate import Arrivals, write_arrivals
from tidegate.demo.picture import Panel, draw
from tidegate.demo.progress import Progress
from tidegate.demo.run import run
from tidegate.demo.session import session
from tidegate.demo.substreams import own_times
from tidegate.demo.table import Result, render

LEAST_ROWS = 1000

ENGINES: tuple[Engine, ...] = (SparkEngine(), TidegateEngine())


def main(arguments: list[str]) -> int:
    """Run the demonstration, and return the exit code."""
    options = _parse(arguments)
    progress = Progress(sys.stdout)
    output = Path(options.output)
    output.mkdir(parents=True, exist_ok=True)
    feeds = _own_feed(options) if options.input else _generated(options, output, progress)

    spark = session("tidegate demo")
    try:
        results, panels = count(spark, feeds, ENGINES, progress, options.timeout)
    finally:
        spark.stop()
    picture = output / "watermarks.png"
    draw(panels, picture)
    progress.say(f"\n{render(results)}\n\nThe watermarks over time: {picture}")
    return 0


def count(
    spark: SparkSession,
    feeds: list[Feed],
    engines: tuple[Engine, ...],
    progress: Progress,
    timeout: float,
) -> tuple[list[Result], list[Panel]]:
    """Count each feed in batch, and then as a stream with each engine."""
    results, panels = [], []
    for feed in feeds:
        progress.update(f"{feed.name}: counting in batch")
        expected = expect(spark, feed)
        outcomes = [
            run(spark, feed, engine, expected, progress.update, timeout) for engine in engines
        ]
        for outcome in outcomes:
            comparison = compare(expected, outcome.windows, outcome.watermark)
            results.append(Result(feed.name, expected, outcome, comparison))
        watermarks = {outcome.engine: outcome.watermarks for outcome in outcomes}
        panels.append(Panel(feed.name, own_times(spark, feed), watermarks))
        progress.say(f"{feed.name}: done")
    return results, panels


def _generated(options: argparse.Namespace, output: Path, progress: Progress) -> list[Feed]:
    feeds = []
    for name, event_time, seed in [("orders", "order_time", 1), ("deliveries", "delivery_time", 2)]:
        folder = output / "data" / name
        arrivals = Arrivals(event_time, options.rows // 2, seed)
        progress.update(f"{name}: writing {arrivals.rows:,} rows")
        write_arrivals(arrivals, folder)
        feeds.append(
            Feed(
                name,
                str(folder),
                event_time,
                lag=options.lag,
                window=options.window,
                end_marker=arrivals.end_marker,
            )
        )
    return feeds


def _own_feed(options: argparse.Namespace) -> list[Feed]:
    return [
        Feed(
            name=Path(options.input).name or "input",
            path=options.input,
            event_time=options.event_time,
            substream=tuple(options.substream.split(",")),
            format=options.format,
            lag=options.lag,
            window=options.window,
        )
    ]


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tidegate demo",
        description="Count the same rows in windows, once with Spark's watermark and once with "
        "Tidegate's, and compare both with the batch result.",
    )
    parser.add_argument("--output", default="demo-output", help="folder for the picture and data")
    parser.add_argument("--rows", type=int, default=2_000_000, help="rows to generate in total")
    parser.add_argument("--lag", default=Feed.lag, help="lag of the watermarks")
    parser.add_argument("--window", default=Feed.window, help="size of the windows")
    parser.add_argument("--timeout", type=float, default=600, help="seconds that a query may take")
    own = parser.add_argument_group("your own files instead of generated ones")
    own.add_argument("--input", help="folder or pattern of the files, read by modification time")
    own.add_argument("--format", choices=["parquet", "json", "csv"], default="parquet")
    own.add_argument("--event-time", help="name of the event-time column")
    own.add_argument("--substream", help="columns that name the substreams, separated by commas")
    options = parser.parse_args(arguments)
    if options.input and not (options.event_time and options.substream):
        parser.error("--input needs --event-time and --substream.")
    if options.rows < LEAST_ROWS:
        parser.error(f"--rows must be at least {LEAST_ROWS}, found {options.rows}.")
    return options
