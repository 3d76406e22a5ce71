"""Writes the log to the topic at a steady pace."""

import threading
import time

from tidegate.demo.kafka.client import Client
from tidegate.demo.kafka.log import BACKLOG, Log, Row

PAUSE_SECONDS = 0.1
STOP_SECONDS = 20


class Writer(threading.Thread):
    """A thread that writes the rest of the log within some seconds, and then its end."""

    def __init__(self, client: Client, topic: str, log: Log, seconds: float) -> None:
        """Create the topic, and write the rows that come before the query."""
        super().__init__(name="writer", daemon=True)
        self._client = client
        self._topic = topic
        self.log = log
        self._seconds = seconds
        self._added_at = log.added_at
        self._stopped = threading.Event()
        self._next = 0
        self.failure: Exception | None = None
        client.create(topic, log.partitions)
        self._write(BACKLOG)

    @property
    def rows(self) -> int:
        """How many rows were written."""
        return self._next

    def run(self) -> None:
        """Write until all rows are written, or until ``stop``."""
        try:
            started = time.monotonic()
            while self._next < len(self.log.rows) and not self._stopped.wait(PAUSE_SECONDS):
                done = min(1.0, (time.monotonic() - started) / self._seconds)
                self._write(BACKLOG + (1 - BACKLOG) * done)
            if not self._stopped.is_set():
                for row in self.log.end:
                    self._send(row)
                self._client.flush()
        except Exception as error:
            self.failure = error

    def stop(self) -> None:
        """Stop writing, and disconnect: a send that waits for a broker that is gone gives up."""
        self._stopped.set()
        self._client.close()
        if self.is_alive():
            self.join(STOP_SECONDS)

    def _write(self, share: float) -> None:
        """Write the log up to a share of it."""
        until = round(share * len(self.log.rows))
        while self._next < until and not self._stopped.is_set():
            if self._next == self._added_at:
                self._client.extend(self._topic, self.log.partitions + 1)
            self._send(self.log.rows[self._next])
            self._next += 1
        self._client.flush()

    def _send(self, row: Row) -> None:
        text = row.text(self.log.arrivals.event_time)
        self._client.send(self._topic, row.partition, text)
