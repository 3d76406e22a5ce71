"""What the producer and the query agree on, so that by Tidegate's rules no row may be lost.

- The times of a partition are in disorder by less than the lag.
- Orders and payments have an idle timeout. A partition that was silent for longer goes on at the
  current time: no row of another partition is ahead of that.
- Deliveries have `idleBehind`, which is longer than any silence: time waits for a silent partition
  that is behind, and the partition may go on where it was.
"""

from dataclasses import dataclass

ORDERS = "orders"
PAYMENTS = "payments"
DELIVERIES = "deliveries"
TOPICS = (ORDERS, PAYMENTS, DELIVERIES)
PARTITIONS = 8
"""Of each topic, at the beginning."""

LAG_MS = 5_000
DISORDER_MS = 4_000
"""Below the lag: a row trails the newest row of its partition by at most so much."""

MOST_BEHIND_MS = 60_000
"""How far a partition falls behind the current time, unless it is silent."""

IDLE_TIMEOUT_MS = 60_000
IDLE_BEHIND_MS = 30 * 60_000
"""Longer than any silence, with the time that a broker and a query may need to start."""

JUMP_AFTER_MS = 25_000
"""A partition of orders or payments that was silent for so long goes on at the current time.

Well below the idle timeout: a row waits for the broker between its making and its arrival.
"""

WINDOW_MS = 10_000
BEFORE_MS = 20_000
AFTER_MS = 60_000
"""A delivery belongs to an order from so long before the order until so long after it."""

MARKER_MS = 3_600_000
"""The last row of each partition is so far ahead, which ends all windows and joins."""


@dataclass(frozen=True)
class Row:
    """A row of a topic. A delivery refers to an order; other rows refer to themselves."""

    topic: str
    partition: int
    id: int
    ref: int
    time: int
    """The event time, in epoch ms."""

    @property
    def is_marker(self) -> bool:
        """Whether the row only ends event time."""
        return self.id < 0


def jumps(topic: str) -> bool:
    """Tell whether partitions of a topic go on at the current time after a silence."""
    return topic != DELIVERIES
