"""When a broker is restarted, a partition added and the query killed, drawn from a seed."""

from dataclasses import dataclass
from random import Random

from soak.contract import TOPICS

KILL = "kill"
RESTART = "broker restart"
ADD = "partition added"
START_SECONDS = 45
"""Nothing happens before the query runs."""

APART = 0.35
"""An event is up to this share of its interval away from the middle of it."""


@dataclass(frozen=True)
class Event:
    """Something that happens to the query or to Kafka."""

    second: float
    kind: str
    topic: str = ""


def schedule(random: Random, seconds: float, kill_every: float) -> list[Event]:
    """Draw the events of a run: times in seconds, none at the very beginning or end.

    The broker restarts about every 12 minutes, and a partition is added about every 10; a short
    run has one of each.
    """
    events = [Event(at, RESTART) for at in _spread(random, seconds, 720)]
    events += [Event(at, ADD, random.choice(TOPICS)) for at in _spread(random, seconds, 600)]
    if kill_every > 0:
        events += [Event(at, KILL) for at in _spread(random, seconds, kill_every)]
    return sorted(events, key=lambda event: event.second)


def _spread(random: Random, seconds: float, every: float) -> list[float]:
    """Draw one time in each interval."""
    end = max(START_SECONDS + 1.0, seconds - 10)
    intervals = max(1, round((end - START_SECONDS) / every))
    length = (end - START_SECONDS) / intervals
    return [
        START_SECONDS + length * (n + 0.5 + random.uniform(-APART, APART)) for n in range(intervals)
    ]
