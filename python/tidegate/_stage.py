"""Where the calls of a task wait: for their beginning, for each other, and to be read."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from queue import SimpleQueue

from tidegate._call import Ended, Item
from tidegate._loop import LoopThread

READ_AHEAD = 1000
"""How many ended calls may wait for the task to read them, beside as many as are in flight."""


class Stage:
    """The items of a task, from their entry to their leave.

    `call` begins a call in the loop, and tells of its end; `fatal` returns the error that ends the
    task because of a call.

    Two threads share it: the calls live in the event loop; items enter, and ended calls leave, in
    the thread of the task. Neither waits for the other with each single call: the loop begins the
    next call itself when one has ended, and hands over together what ends together.
    """

    def __init__(
        self,
        loop: LoopThread,
        call: Callable[[Item, int, Callable[[Ended], None]], object],
        fatal: Callable[[Ended], Exception | None],
        ordered: bool,
        max_in_flight: int,
    ) -> None:
        self._loop = loop
        self._call = call
        self._fatal = fatal
        self._bound = max_in_flight
        self._order = _InOrder() if ordered else _AsTheyCome()
        self._left: SimpleQueue[list[Ended | Exception]] = SimpleQueue()
        self._entered = self._taken = 0
        # Of the loop alone.
        self._pending: deque[Item] = deque()
        self._begun = self._in_flight = self._not_taken = 0
        self._leaving: list[Ended | Exception] = []
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """How many items have not begun."""
        return self._entered - self._begun

    @property
    def is_empty(self) -> bool:
        """Whether all that has entered has left."""
        return self._entered == self._taken

    def enter(self, items: list[Item]) -> None:
        """Let items in; their calls begin as soon as there is room."""
        self._entered += len(items)
        self._loop.do(self._enter, items)

    def leave(self, is_enough: Callable[[], bool]) -> Iterator[Ended]:
        """Give the calls that have left, and wait for more unless those are enough."""
        while not (is_enough() and self._left.empty()):
            together = self._loop.hear(self._left)
            if together:
                self._loop.do(self._take, len(together))
            for ended in together:
                if isinstance(ended, Exception):
                    raise ended
                self._taken += 1
                yield ended

    def close(self) -> None:
        """Begin no more calls, and cancel those that have not ended."""
        self._is_closed = True
        self._loop.cancel_attempts()

    def _enter(self, items: list[Item]) -> None:
        self._pending.extend(items)
        self._begin()

    def _take(self, count: int) -> None:
        self._not_taken -= count
        self._begin()

    def _begin(self) -> None:
        if self._is_closed:
            return
        before = self._begun
        # A reader that is slow for long holds calls back too.
        limit = self._bound + READ_AHEAD
        while self._pending and self._in_flight < self._bound and self._not_taken < limit:
            self._in_flight += 1
            ended = partial(self._ended, self._begun)
            self._begun += 1
            self._call(self._pending.popleft(), self._in_flight, ended)
        if self._begun > before and not self._pending:
            # The reader may wait for this alone.
            self._left.put([])

    def _ended(self, number: int, ended: Ended) -> None:
        if self._is_closed:
            return
        error = self._fatal(ended)
        together: list[Ended | Exception] = (
            [error] if error else [*self._order.after(number, ended)]
        )
        if error is None:
            self._in_flight -= len(together)
        if together and not self._leaving:
            self._loop.soon(self._hand_over)
        self._leaving.extend(together)
        self._begin()

    def _hand_over(self) -> None:
        together, self._leaving = self._leaving, []
        self._not_taken += len(together)
        self._left.put(together)


class _AsTheyCome:
    """Lets ended calls leave at once."""

    def after(self, number: int, ended: Ended) -> Iterator[Ended]:
        yield ended


class _InOrder:
    """Holds ended calls until all before them have left."""

    def __init__(self) -> None:
        self._next = 0
        self._held: dict[int, Ended] = {}

    def after(self, number: int, ended: Ended) -> Iterator[Ended]:
        self._held[number] = ended
        while self._next in self._held:
            yield self._held.pop(self._next)
            self._next += 1
