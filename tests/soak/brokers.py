"""The broker of a soak, which can be killed and started again with its data."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tidegate.demo.kafka import broker


class Broker:
    """A broker in a process of its own."""

    def __init__(self, jars: Path, folder: Path) -> None:
        """Set a broker up; its data stay in the folder."""
        self._jars = jars
        self._folder = folder
        self._running = ExitStack()
        self.address = broker.configured(folder)

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        self._running.enter_context(broker.running(self._jars, self._folder))()

    def kill(self) -> None:
        """Kill the broker, which has no time to put anything in order."""
        self._running.close()


@contextmanager
def started(jars: Path, folder: Path) -> Iterator[Broker]:
    """Start a broker; at the end kill it."""
    kafka = Broker(jars, folder)
    try:
        kafka.start()
        yield kafka
    finally:
        kafka.kill()
