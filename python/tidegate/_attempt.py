"""One attempt of a function of the user: awaited for a bounded time, and heard of in any case."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


class StuckError(Exception):
    """A function goes on although it was cancelled."""


class Outcome(NamedTuple):
    """How a function has ended: with a result, or with an error."""

    result: Any
    error: BaseException | None


class Attempt:
    """Awaits a function in the loop; to be made in the loop itself.

    After `timeout` the function is cancelled, and waited for: until it has ended, it lives. One
    that has not ended `clean_up` seconds later is stuck. As with ``asyncio.wait_for``, the answer
    of a function that is cancelled and gives it all the same counts.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        function: Callable[[], Awaitable[Any]],
        timeout: float | None,
        clean_up: float,
        ended: Callable[[Outcome], None],
    ) -> None:
        self._loop = loop
        self._timeout = timeout
        self._clean_up = clean_up
        self._ended: Callable[[Outcome], None] | None = ended
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self.task = loop.create_task(_outcome(function))
        self.task.add_done_callback(self._done)
        if timeout is not None:
            self._timer = loop.call_later(timeout, self._time_is_over)

    def _time_is_over(self) -> None:
        self._is_over = True
        self._timer = self._loop.call_later(self._clean_up, self._give_up)
        self.task.cancel()

    def _give_up(self) -> None:
        text = f"it still runs {self._clean_up:g} s after it was cancelled, {self._late}"
        self._end(Outcome(None, StuckError(text)))

    @property
    def _late(self) -> str:
        return f"no answer within {self._timeout:g} s"

    def _done(self, task: "asyncio.Task[Outcome]") -> None:
        cancelled = asyncio.CancelledError("the function was cancelled")
        outcome = Outcome(None, cancelled) if task.cancelled() else task.result()
        if self._is_over and isinstance(outcome.error, Exception | asyncio.CancelledError):
            outcome = Outcome(None, TimeoutError(self._late))
        self._end(outcome)

    def _end(self, outcome: Outcome) -> None:
        if self._timer is not None:
            self._timer.cancel()
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(outcome)


async def _outcome(function: Callable[[], Awaitable[Any]]) -> Outcome:
    try:
        return Outcome(await function(), None)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        # An exit would end the event loop, and nobody would hear of it.
        return Outcome(None, error)
