"""One partition as it is written: phases of pace, distance and silence, drawn from a seed."""

from dataclasses import dataclass, field
from random import Random

from soak.contract import DISORDER_MS, JUMP_AFTER_MS, MOST_BEHIND_MS, jumps

STEADY, SLOW, BURST, SILENT = "steady", "slow", "burst", "silent"
SECONDS = {STEADY: (30, 120), SLOW: (30, 90), BURST: (3, 10), SILENT: (20, 150)}
WEIGHTS = {True: (5, 2, 2, 3), False: (12, 3, 3, 1)}
"""Of the phases, in their order. A silent partition of deliveries stops time, so few are."""

RATE = (0.4, 3.0)
"""Rows a second, from the slowest partition to the fastest."""

BURST_FACTOR = 12
CATCH_UP = 4
"""How many times faster than the clock on the wall a partition that is behind comes nearer."""

MOST_SILENT = 60
"""The longest silence of a partition of deliveries, in seconds."""


@dataclass
class Partition:
    """Says how many rows a partition gets, and at which times; knows no Kafka and no clock."""

    topic: str
    number: int
    random: Random
    now: int
    """The current time in epoch ms: that of the last call."""

    phase: str = STEADY
    arrived: int = 0
    """When the last row has arrived at the broker."""

    _time: int = field(init=False)
    _until: int = field(init=False)
    _behind: int = 0
    _new: bool = True
    _rate: float = field(init=False)
    _due: float = 0.0

    def __post_init__(self) -> None:
        """Begin at the current time."""
        self._time = self._until = self.arrived = self.now
        self._rate = RATE[0] * (RATE[1] / RATE[0]) ** self.random.random()

    def times(self, now: int) -> list[int]:
        """Return the event times of the rows that are due."""
        elapsed, self.now = now - self.now, now
        if now >= self._until:
            self._enter_phase()
        if self.phase == SILENT:
            return []
        self._due += elapsed / 1000 * self._rate * (BURST_FACTOR if self.phase == BURST else 1)
        rows, self._due = int(self._due), self._due % 1
        if rows == 0:
            return []
        if self._may_be_unknown():
            # Not behind any row that is there.
            self._new, self._time, self._behind = False, now, 0
            return [now] * rows
        wanted = min(now - self._behind, self._time + CATCH_UP * elapsed)
        self._time = max(self._time, wanted)
        return [self._time - self.random.randrange(DISORDER_MS) for _ in range(rows)]

    def _may_be_unknown(self) -> bool:
        """Tell whether the watermark may not wait for the partition."""
        silence = self.now - self.arrived
        return self._new or (jumps(self.topic) and silence > JUMP_AFTER_MS)

    def _enter_phase(self) -> None:
        weights = WEIGHTS[jumps(self.topic)]
        [self.phase] = self.random.choices(list(SECONDS), weights)
        least, most = SECONDS[self.phase]
        if self.phase == SILENT and not jumps(self.topic):
            most = MOST_SILENT
        self._until = self.now + round(1000 * self.random.uniform(least, most))
        if self.phase == SLOW:
            self._behind = self.random.randrange(MOST_BEHIND_MS)
        elif self.phase == STEADY and self.random.random() < 0.5:
            self._behind = 0
