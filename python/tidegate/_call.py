"""One asynchronous call: its key, what it gets, and how it has ended."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class CallKey(NamedTuple):
    """Which call of a query this is: a replayed batch makes its calls with the same keys.

    Attributes
    ----------
    batch : int
        The number of the batch; -1 in a query on batch data.
    partition : int
        The number of the partition in its stage.
    row : int
        The number of the row in its partition, from 0 on; of a list of rows, that of the first.

    Examples
    --------
    >>> from tidegate import CallKey
    >>> "-".join(map(str, CallKey(batch=7, partition=0, row=12)))
    '7-0-12'
    """

    batch: int
    partition: int
    row: int


class Item(NamedTuple):
    """What a function is called with."""

    key: CallKey
    argument: Any
    origin: Any = None
    """What the argument was made of: a function may change its argument."""


@dataclass
class Ended:
    """A call that has ended, with its result or its error."""

    item: Item
    result: Any
    error: BaseException | None
    attempts: int
    micros: int
    in_flight: int
    """How many calls were in flight when it began, with itself."""
