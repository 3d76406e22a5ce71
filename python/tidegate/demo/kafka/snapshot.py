"""The state of the queries at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from tidegate.demo.kafka.queries import Offsets

Times = Mapping[str, Any]
"""What ``tidegate.watermarks`` says about one keyed watermark."""


class State(Enum):
    """How far the query is with a partition."""

    ACTIVE = "active"
    BEHIND = "catching up"
    IDLE = "idle"
    UNREAD = "not yet read"
    EMPTY = "empty"


@dataclass(frozen=True)
class Partition:
    """A partition of the topic."""

    number: int
    time: datetime | None
    """The highest event time that was read."""

    read: int
    unread: int
    state: State


@dataclass(frozen=True)
class Watermark:
    """A watermark, and what it did to the rows so far."""

    name: str
    time: datetime | None
    waits_for: str
    windows: int
    dropped: int


@dataclass(frozen=True)
class Snapshot:
    """What the view shows."""

    seconds: float
    batch: int
    rows: int
    """How many rows will have been written in the end."""

    partitions: tuple[Partition, ...]
    watermarks: tuple[Watermark, ...]

    @property
    def newest(self) -> datetime | None:
        """The highest time of all partitions."""
        return max((p.time for p in self.partitions if p.time is not None), default=None)

    @property
    def read(self) -> int:
        """How many rows were read."""
        return sum(p.read for p in self.partitions)

    @property
    def unread(self) -> int:
        """How many rows wait to be read."""
        return sum(p.unread for p in self.partitions)

    def numbers(self, state: State) -> list[int]:
        """Return the partitions that are in a state."""
        return [p.number for p in self.partitions if p.state is state]


def partitions(
    topic: str, times: Times, lag: timedelta, read: Offsets, reported: Offsets
) -> tuple[Partition, ...]:
    """Combine what the watermark and the source say about each partition.

    The watermark of a partition is its highest time minus the lag.
    """
    found = []
    for number in sorted(read.keys() | reported.keys()):
        substream = times["substreams"].get(f"{topic}/{number}", {})
        watermark = substream.get("watermark")
        unread = max(0, reported.get(number, 0) - read.get(number, 0))
        state = _state(watermark is not None, unread, bool(substream.get("idle")))
        time = None if watermark is None else watermark + lag
        found.append(Partition(number, time, read.get(number, 0), unread, state))
    return tuple(found)


def unread(numbers: range) -> tuple[Partition, ...]:
    """Return partitions about which nothing is known yet."""
    return tuple(Partition(number, None, 0, 0, State.UNREAD) for number in numbers)


def holder(topic: str, times: Times) -> str:
    """Say what a keyed watermark waits for."""
    name = times["heldBackBy"]
    if name is None:
        return "nothing: all are idle" if times["idle"] else "the first rows"
    return f"partition {name.removeprefix(f'{topic}/')}"


def _state(has_time: bool, unread: int, idle: bool) -> State:
    if not has_time:
        return State.UNREAD if unread else State.EMPTY
    if unread:
        return State.BEHIND
    return State.IDLE if idle else State.ACTIVE
