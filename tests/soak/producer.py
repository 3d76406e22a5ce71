"""Writes the partitions, and keeps a log of all rows that the broker has acknowledged."""

import json
import threading
import time
from collections import deque
from pathlib import Path
from random import Random

from soak.contract import (
    DELIVERIES,
    IDLE_TIMEOUT_MS,
    MARKER_MS,
    ORDERS,
    PARTITIONS,
    TOPICS,
    Row,
    jumps,
)
from soak.partition import Partition
from soak.written import append
from tidegate.demo.kafka.client import Client

PAUSE_SECONDS = 0.5
RECENT_ORDERS = 1500
KNOWN_ORDER = 0.85
"""The share of deliveries that refer to an order of a short time ago; others refer to none."""


class Producer(threading.Thread):
    """A thread that writes rows until it is finished."""

    def __init__(self, client: Client, random: Random, log: Path) -> None:
        """Create the topics."""
        super().__init__(name="producer", daemon=True)
        self._client = client
        self._random = random
        self._log = log
        self._ids = 0
        self._orders: deque[int] = deque(maxlen=RECENT_ORDERS)
        self._wanted: deque[str] = deque()
        self._finished = threading.Event()
        self.partitions: list[Partition] = []
        self.rows = 0
        self.failure: Exception | None = None
        self.too_slow: list[str] = []
        """Silences that the partition did not mean: the machine or the broker was too slow."""

        self.marker = 0
        for topic in TOPICS:
            client.create(topic, PARTITIONS)
            for number in range(PARTITIONS):
                self._add(topic, number)

    def run(self) -> None:
        """Write until ``finish``, and then the end markers."""
        try:
            while not self._finished.wait(PAUSE_SECONDS):
                self._extend()
                self._write()
            self._end()
        except Exception as error:
            self.failure = error

    def add_partition(self, topic: str) -> None:
        """Add a partition to a topic soon."""
        self._wanted.append(topic)

    def finish(self) -> None:
        """Write a row to each partition that ends event time, and wait until it has arrived."""
        self._finished.set()
        self.join()

    def _add(self, topic: str, number: int) -> None:
        random = Random(self._random.random())
        self.partitions.append(Partition(topic, number, random, _now()))

    def _extend(self) -> None:
        while self._wanted:
            topic = self._wanted.popleft()
            number = sum(p.topic == topic for p in self.partitions)
            self._client.extend(topic, number + 1)
            self._add(topic, number)

    def _write(self) -> None:
        """Write what is due. No row is made before all older ones have arrived.

        A row at the current time is therefore not behind any row that is there.
        """
        now = _now()
        rows = [
            self._row(partition, at) for partition in self.partitions for at in partition.times(now)
        ]
        self._send(rows)

    def _send(self, rows: list[Row]) -> None:
        for row in rows:
            text = json.dumps({"id": row.id, "ref": row.ref, "time": row.time})
            self._client.send(row.topic, row.partition, text)
        self._client.flush()
        append(self._log, rows)
        self.rows += len(rows)
        arrived = _now()
        written = {(row.topic, row.partition): row.time for row in rows}
        for partition in self.partitions:
            time_written = written.get((partition.topic, partition.number))
            if time_written is not None:
                self._arrived(partition, arrived, time_written)

    def _arrived(self, partition: Partition, arrived: int, time_written: int) -> None:
        """Note when rows have arrived, and whether they kept the contract."""
        silence = arrived - partition.arrived
        if jumps(partition.topic) and silence > IDLE_TIMEOUT_MS and time_written < partition.now:
            self.too_slow.append(f"{partition.topic}/{partition.number}: {silence / 1000:.0f} s")
        partition.arrived = arrived

    def _row(self, partition: Partition, at: int) -> Row:
        self._ids += 1
        ref = self._ids
        if partition.topic == ORDERS:
            self._orders.append(ref)
        elif partition.topic == DELIVERIES:
            known = self._orders and self._random.random() < KNOWN_ORDER
            ref = self._random.choice(self._orders) if known else -self._ids
        return Row(partition.topic, partition.number, self._ids, ref, at)

    def _end(self) -> None:
        self.marker = _now() + MARKER_MS
        self._send(
            [
                # No two markers are an order and its delivery.
                Row(p.topic, p.number, -n, -n, self.marker)
                for n, p in enumerate(self.partitions, start=1)
            ]
        )


def _now() -> int:
    return round(time.time() * 1000)
