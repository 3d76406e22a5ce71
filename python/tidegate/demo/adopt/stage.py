"""The job, from a start until it is killed: what it reads and what it has read."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from tidegate.demo.adopt.submission import Submission, submitted
from tidegate.demo.engines import Engine
from tidegate.demo.kafka.feed import TopicFeed
from tidegate.demo.kafka.interrupts import Interrupts
from tidegate.demo.progress import Progress

LOOK_SECONDS = 0.25


@dataclass
class Stages:
    """Runs the job again and again, on one checkpoint and one sink."""

    feed: TopicFeed
    rows: int
    """How many rows the topic has."""
    checkpoint: Path
    sink: Path
    connector: Sequence[Path]
    progress: Progress
    interrupts: Interrupts
    timeout: float
    """For how long the job may run in a stage, in seconds."""
    read: int = 0
    """How many rows the batches of all stages have read."""
    runs: int = 0

    def run(
        self,
        engine: Engine,
        jars: Sequence[Path],
        conf: Mapping[str, str],
        is_done: Callable[[Submission], bool],
    ) -> Submission:
        """Run the job until a batch has ended after which it is done, and kill it then."""
        self.runs += 1
        feed = self.feed
        arguments = [feed.address, feed.path, feed.rows_per_trigger, self.checkpoint, self.sink]
        log = self.checkpoint.with_name(f"job-{self.runs}.log")
        with submitted(arguments, [*self.connector, *jars], conf, log) as job:
            began, seen = time.monotonic(), 0
            self.progress.update(f"   {engine.name}: starting")
            while True:
                job.check()
                if len(job.batches) > seen:
                    seen = len(job.batches)
                    if is_done(job):
                        break
                    self.progress.update(self._line(engine, job))
                if time.monotonic() - began > self.timeout:
                    raise TimeoutError(
                        f"The job was not done after {self.timeout:g} seconds. Try fewer --rows, "
                        "or a longer --timeout."
                    )
                self.interrupts.wait(LOOK_SECONDS)
        self.progress.say(self._line(engine, job))
        self.read += job.rows
        return job

    def _line(self, engine: Engine, job: Submission) -> str:
        batch = job.batches[-1]
        watermark = engine.watermark(self.feed, batch)
        at = "" if watermark is None else f", {engine.name}'s watermark {_time(watermark)}"
        return (
            f"   batch {batch.batchId}: {self.read + job.rows:,} of {self.rows:,} rows read, "
            f"open windows: {job.open_windows}{at}"
        )


def _time(epoch_ms: int) -> str:
    return f"{datetime.fromtimestamp(epoch_ms / 1000, timezone.utc):%H:%M:%S}"
