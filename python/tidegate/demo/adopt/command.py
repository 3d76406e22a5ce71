"""The command line of the demonstration: ``python -m tidegate demo-adopt``."""

import argparse
import math
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from py4j.protocol import Py4JJavaError

import tidegate
from tidegate.demo.adopt.checkpoint import adopt, last_watermark
from tidegate.demo.adopt.picture import draw
from tidegate.demo.adopt.sink import Sink
from tidegate.demo.adopt.stage import Stages
from tidegate.demo.adopt.submission import JobError
from tidegate.demo.adopt.verdict import judge
from tidegate.demo.compare import expect
from tidegate.demo.engines import SparkEngine, TidegateEngine
from tidegate.demo.generate import MINUTE, Arrivals
from tidegate.demo.kafka import broker
from tidegate.demo.kafka.client import Client
from tidegate.demo.kafka.feed import TopicFeed
from tidegate.demo.kafka.interrupts import Interrupts
from tidegate.demo.kafka.log import Log
from tidegate.demo.progress import Progress
from tidegate.demo.session import session

TOPIC = "orders"
EVENT_TIME = "order_time"
PARTITIONS = 4
LAGGING = 3
BEHIND_MINUTES = 5
LENGTH_MINUTES = 20

BATCHES = 20
"""The topic is read in so many batches: a watermark moves between batches."""

LEAST_ROWS = 1000
INTERRUPTED = 130

KEYED = {
    "spark.sql.extensions": "tidegate.TidegateExtensions",
    "spark.tidegate.replaceWithWatermark": "true",
}


def main(arguments: list[str]) -> int:
    """Run the demonstration; the exit code is 0 only if no window is lost, doubled or wrong."""
    options = _parse(arguments)
    try:
        broker.check(options.jars)
        with Interrupts() as interrupts, tempfile.TemporaryDirectory(prefix="tidegate-") as folder:
            return _run(options, Path(folder), interrupts)
    except (broker.BrokerError, JobError, TimeoutError) as error:
        return _failed(str(error))
    except Py4JJavaError as error:
        return _failed(" ".join(["Kafka or Spark has failed.", *str(error).splitlines()[:2]]))
    except KeyboardInterrupt:
        print("Stopped: the job and the broker are gone.", file=sys.stderr)
        return INTERRUPTED


def orders(rows: int) -> Log:
    """Make the rows of the topic: all partitions run together, but for one that falls behind."""
    arrivals = Arrivals(
        EVENT_TIME,
        rows,
        seed=1,
        substreams=PARTITIONS,
        length=LENGTH_MINUTES * MINUTE,
        lagging=LAGGING,
        behind=BEHIND_MINUTES * MINUTE,
        silent=None,
    )
    # A window of the slow partition alone would be lost to Spark as a whole.
    return Log(arrivals, since=arrivals.start)


def _run(options: argparse.Namespace, folder: Path, interrupts: Interrupts) -> int:
    log, progress = orders(options.rows), Progress(sys.stdout)
    say = progress.say
    say("Starting a broker and Spark.")
    with ExitStack() as stack:
        jars = options.jars
        await_start = stack.enter_context(broker.starting(jars / "broker", folder / "broker"))
        connector = sorted((jars / "connector").glob("*.jar"))
        spark = session("tidegate demo-adopt", connector)
        stack.callback(spark.stop)
        feed = _feed(log, await_start())
        interrupts.soften()
        _write(log, feed.address)
        say(
            f"A topic of {PARTITIONS} partitions with {len(log.rows):,} orders of "
            f"{LENGTH_MINUTES} minutes; partition {LAGGING} falls behind, by up to "
            f"{BEHIND_MINUTES} minutes.\n"
            f"The job counts them in windows of {feed.window}, with a lag of {feed.lag}."
        )
        checkpoint, sink = folder / "checkpoint", Sink(spark, folder / "sink")
        stages = Stages(
            feed,
            len(log.rows) + len(log.end),
            checkpoint,
            sink.folder,
            connector,
            progress,
            interrupts,
            options.timeout,
        )

        say("\n1. The job, as it is: spark-submit job.py")
        half = len(log.rows) // 2
        job = stages.run(SparkEngine(), [], {}, lambda job: job.rows >= half)
        before, adopted_ms = sink.read(), last_watermark(checkpoint)
        say(
            f"   Killed. Spark reports {job.dropped:,} rows dropped by its watermark; it counts "
            "the rows of a window in a task as one."
        )

        say("\n2. Its checkpoint: python -m tidegate adopt checkpoint")
        adopt(checkpoint)
        say("   The next start of the job adopts it.")

        say("\n3. The same job: spark-submit --jars tidegate.jar \\")
        say(" \\\n".join(f"     --conf {key}={value}" for key, value in KEYED.items()) + " job.py")
        last = log.whole().last_window
        jar = Path(tidegate.jarPath())
        stages.run(TidegateEngine(), [jar], KEYED, lambda _: last in dict(sink.read()))

        expected, after = expect(spark, feed), sink.read()
        verdict = judge(expected, adopted_ms, before, after)
        options.output.mkdir(parents=True, exist_ok=True)
        picture = options.output / "adopt.png"
        draw(expected, adopted_ms, after, picture)
        say(f"\nAgainst a batch query over the same topic:\n\n{verdict.table()}\n")
        say("\n".join([*verdict.sentences(), "", f"The windows as a picture: {picture}"]))
        return 0 if verdict.is_good else 1


def _feed(log: Log, address: str) -> TopicFeed:
    """Describe the topic; a replaced watermark has the name of its column."""
    return TopicFeed(
        name=EVENT_TIME,
        path=TOPIC,
        event_time=EVENT_TIME,
        end_marker=log.arrivals.end_marker,
        address=address,
        rows_per_trigger=math.ceil(len(log.rows) / BATCHES),
    )


def _write(log: Log, address: str) -> None:
    client = Client(address)
    try:
        client.create(TOPIC, PARTITIONS)
        for row in [*log.rows, *log.end]:
            client.send(TOPIC, row.partition, row.text(EVENT_TIME))
        client.flush()
    finally:
        client.close()


def _failed(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tidegate demo-adopt",
        description="Start a Kafka broker and an ordinary job that counts a topic, kill the job, "
        "adopt its checkpoint, start the job with keyed watermarks, and check every window.",
    )
    parser.add_argument("--output", type=Path, default="demo-output", help="folder for the picture")
    parser.add_argument("--rows", type=int, default=20_000, help="rows to write")
    parser.add_argument(
        "--timeout", type=float, default=300, help="seconds for each run of the job"
    )
    broker.add_option(parser)
    options = parser.parse_args(arguments)
    if options.rows < LEAST_ROWS:
        parser.error(f"--rows must be at least {LEAST_ROWS}, found {options.rows}.")
    if not 0 < options.timeout < math.inf:
        parser.error(f"--timeout must be above 0, found {options.timeout:g}.")
    return options
