"""Runs the broker, the producer and the process of the query, and lets things go wrong."""

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from soak import events, samples
from soak.brokers import Broker, started
from soak.files import BROKER, EVENTS, QUERY_LOG, WRITTEN
from soak.gateway import gateway
from soak.producer import Producer
from soak.query import SAMPLES
from soak.report import END, START
from soak.samples import Sample
from soak.schedule import ADD, KILL, RESTART, Event, schedule
from soak.supervisor import Supervisor
from tidegate.demo.kafka.client import Client

LOOK_SECONDS = 1.0
DRAIN_SECONDS = 900.0
"""How long the query may need to read all that is there, at the end."""

RECENT = 20
"""Samples at the end of the file, of which the newest of each query is shown."""

# A record waits for the broker, however long its restart takes: none is given up.
PATIENT = {"delivery_timeout_ms": "600000", "max_block_ms": "600000"}


def run(options: argparse.Namespace) -> list[str]:
    """Soak for some minutes, and return what went wrong before any result is looked at."""
    folder: Path = options.output
    jars: Path = options.jars
    say = _noter(folder)
    random = Random(options.seed)
    with ExitStack() as stack:
        kafka = stack.enter_context(started(jars / "broker", folder / BROKER))
        jvm = stack.enter_context(gateway(jars / "broker"))
        client = Client(kafka.address, jvm, **PATIENT)
        stack.callback(client.close)
        producer = Producer(client, random, folder / WRITTEN)
        supervisor = Supervisor(_command(options, kafka.address), folder / QUERY_LOG, say)
        stack.callback(supervisor.stop)
        plan = schedule(random, options.minutes * 60, options.kill_every * 60)
        soak = Soak(kafka, producer, supervisor, plan, folder, say)
        return soak.run(options.minutes * 60) + _unwritten(client, producer)


@dataclass
class Soak:
    """A run: what takes part in it, and the plan."""

    kafka: Broker
    producer: Producer
    supervisor: Supervisor
    plan: list[Event]
    folder: Path
    say: Callable[[str, str], None]
    restarts: int = 0

    def run(self, seconds: float) -> list[str]:
        """Follow the plan, let the query finish, and return what went wrong."""
        begin = time.monotonic()
        self.say(START, "")
        self.supervisor.start()
        self.producer.start()
        due, minute = list(self.plan), 0
        while (elapsed := time.monotonic() - begin) < seconds:
            while due and due[0].second <= elapsed:
                self._do(due.pop(0))
            self.supervisor.check()
            if self.producer.failure is not None:
                raise self.producer.failure
            if elapsed >= 60 * (minute + 1):
                minute = int(elapsed // 60)
                print(self._line(minute), flush=True)
            time.sleep(LOOK_SECONDS)
        self.say(END, "")
        return self._finish()

    def _do(self, event: Event) -> None:
        self.say(event.kind, event.topic)
        if event.kind == KILL:
            self.supervisor.kill()
        elif event.kind == ADD:
            self.producer.add_partition(event.topic)
        elif event.kind == RESTART:
            self.restarts += 1
            self.kafka.kill()
            self.supervisor.broker_killed()
            self.kafka.start()

    def _finish(self) -> list[str]:
        print("The time is over: the query reads what is left.", flush=True)
        self.producer.finish()
        if self.producer.failure is not None:
            raise self.producer.failure
        wrong = [f"A query failed by itself: {words}" for words in self.supervisor.failures]
        wrong += [
            f"The machine was too slow, rows may be late: {s}" for s in self.producer.too_slow
        ]
        if not self._drained():
            wrong.append(f"The query did not read all within {DRAIN_SECONDS:.0f} s.")
        print(self._line(None), flush=True)
        return wrong

    def _drained(self) -> bool:
        """Wait until event time has ended in both queries, and let the process end."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while not self._ended():
            if time.monotonic() > deadline:
                return False
            self.supervisor.check()
            time.sleep(LOOK_SECONDS)
        return self.supervisor.finish(deadline - time.monotonic())

    def _ended(self) -> bool:
        """Tell whether all watermarks have reached the end markers: they are in the future."""
        newest = self._newest()
        return len(newest) == 2 and all(s.lag_ms is not None and s.lag_ms < 0 for s in newest)

    def _newest(self) -> list[Sample]:
        found = list(samples.read(self.folder / SAMPLES))[-RECENT:]
        return list({sample.query: sample for sample in found}.values())

    def _line(self, minute: int | None) -> str:
        parts = ["   end" if minute is None else f"{minute:3} min"]
        parts.append(f"{self.producer.rows:,} rows")
        for s in self._newest():
            lag = "-" if s.lag_ms is None else f"{s.lag_ms / 1000:.0f} s"
            batch = "-" if s.batch_ms is None else f"{s.batch_ms:,.0f} ms"
            parts.append(
                f"{s.query}: behind {lag}, state {s.state_rows:,}, offset {s.offset_bytes:,} B, "
                f"batch {batch}, late {s.late_rows}"
            )
        heap = [s.heap_bytes for s in samples.read(self.folder / SAMPLES) if s.heap_bytes]
        parts += [f"heap {heap[-1] / 1e6:.0f} MB"] if heap else []
        parts.append(f"kills {self.supervisor.kills}, broker restarts {self.restarts}")
        parts.append(f"partitions {len(self.producer.partitions)}")
        return " | ".join(parts)


def _unwritten(client: Client, producer: Producer) -> list[str]:
    """Check the log of the producer against the broker."""
    there = sum(client.size(p.topic, p.number) for p in producer.partitions)
    if there == producer.rows:
        return []
    return [f"The broker has {there:,} rows, but has acknowledged {producer.rows:,}."]


def _command(options: argparse.Namespace, address: str) -> list[str]:
    command = ["-m", "soak.query", "--folder", str(options.output), "--jars", str(options.jars)]
    return [*command, "--address", address, "--trigger", str(options.trigger)]


def _noter(folder: Path) -> Callable[[str, str], None]:
    def say(kind: str, details: str) -> None:
        events.append(folder / EVENTS, kind, details)
        if kind not in (START, END):
            print(f"         {kind} {details}".rstrip(), flush=True)

    return say
