"""Asynchronous calls in flight: one event loop, a bound, an order, timeouts and retries.

Runs in the Python worker of a task, and knows nothing of Spark or Arrow.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tidegate._call import Ended, Item
from tidegate._loop import LoopThread
from tidegate._stage import Stage

FIRST_PAUSE = 0.1
"""The longest pause before the first retry, in seconds; doubles with each further one."""

LONGEST_PAUSE = 10.0
"""The longest pause before any retry, in seconds."""

LONGEST_CLEAN_UP = 5.0
"""How long calls that are cancelled at the end of a task are waited for, in seconds."""


class FailedCallError(RuntimeError):
    """A call has failed for good, and with it the query."""


@dataclass(frozen=True)
class CallSettings:
    """How the calls of a task are made; times are in seconds."""

    function: str
    """The name of the function, for messages."""
    ordered: bool
    max_in_flight: int
    timeout: float | None
    retries: int
    keeps_failures: bool
    """Whether a failed call is an answer like others. Otherwise it fails the task."""
    break_after: int
    takes_key: bool


class Calls:
    """The calls of one task.

    `make_function` returns what is called: an ``async def``, or an object with an ``async def
    __call__`` and perhaps ``setup`` and ``teardown``, which are awaited once.
    """

    def __init__(self, make_function: Callable[[], Any], settings: CallSettings) -> None:
        self._make_function = make_function
        self._settings = settings
        self._failed_in_a_row = 0

    def run(self, batches: Iterable[Iterable[Item]]) -> Iterator[Ended]:
        """Call the function with each item, and give the ended calls.

        A batch is asked for only when all items before it have been begun. The calls go on in the
        event loop meanwhile, and while the caller is busy with an answer.
        """
        with LoopThread() as loop:
            function = self._make_function()
            loop.run(self._hook(function, "setup"))
            stage = Stage(
                loop,
                partial(self._call, function),
                self._fatal,
                self._settings.ordered,
                self._settings.max_in_flight,
            )
            try:
                for batch in batches:
                    stage.enter(list(batch))
                    yield from stage.leave(lambda: stage.waiting == 0)
                yield from stage.leave(lambda: stage.is_empty)
            finally:
                loop.cancel_tasks()
                loop.run(self._hook(function, "teardown"))

    def _fatal(self, ended: Ended) -> BaseException | None:
        """Return the error that ends the task because of this call, if there is one."""
        if ended.error is None:
            self._failed_in_a_row = 0
            return None
        name = self._settings.function
        if not isinstance(ended.error, Exception | asyncio.CancelledError):
            return ended.error
        if not self._settings.keeps_failures:
            batch, partition, row = ended.item.key
            return self._failed(
                ended.error,
                f"mapAsync: the call of function {name} for row {row} of partition {partition} in "
                f"batch {batch} has failed after {_times(ended.attempts)}: "
                f"{describe(ended.error)}. Catch the error in the function, allow more retries, "
                "or set onError to 'null' or 'dead letter'.",
            )
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._settings.break_after:
            return self._failed(
                ended.error,
                f"mapAsync: {self._failed_in_a_row} calls of function {name} in a row have failed, "
                f"the last one with: {describe(ended.error)}. The query stops, because the service "
                "seems to be down. Start it again when the service answers, or raise breakAfter.",
            )
        return None

    def _failed(self, cause: BaseException, text: str) -> FailedCallError:
        failed = FailedCallError(text)
        failed.__cause__ = cause
        return failed

    async def _hook(self, function: Any, name: str) -> None:
        hook = getattr(function, name, None)
        if hook is None:
            return
        try:
            await hook()
        except Exception as error:
            raise FailedCallError(
                f"mapAsync: {name} of function {self._settings.function} has failed: "
                f"{describe(error)}. The query stops; start it again when the cause is gone."
            ) from error

    async def _call(self, function: Any, item: Item, in_flight: int) -> Ended:
        began = time.perf_counter()
        attempts = 0
        result, error = None, None
        while True:
            attempts += 1
            result, error = await self._attempt(function, item)
            if not isinstance(error, Exception) or attempts > self._settings.retries:
                break
            # Full jitter: calls that failed together do not come back together.
            await asyncio.sleep(random.uniform(0, longest_pause(attempts)))
        micros = round((time.perf_counter() - began) * 1e6)
        return Ended(item, result, error, attempts, micros, in_flight)

    async def _attempt(self, function: Any, item: Item) -> tuple[Any, BaseException | None]:
        # A task of its own: if the function is cancelled, that is its error and not our end.
        attempt = asyncio.ensure_future(self._invoke(function, item))
        try:
            done, _ = await asyncio.wait([attempt], timeout=self._settings.timeout)
        except asyncio.CancelledError:
            attempt.cancel()
            # What the calls need is closed next; a function may want to clean up before.
            await asyncio.wait([attempt], timeout=LONGEST_CLEAN_UP)
            raise
        if not done:
            attempt.cancel()
            return None, TimeoutError(f"no answer within {self._settings.timeout:g} s")
        if attempt.cancelled():
            return None, asyncio.CancelledError("the function was cancelled")
        return attempt.result()

    async def _invoke(self, function: Any, item: Item) -> tuple[Any, BaseException | None]:
        arguments = (item.argument, item.key) if self._settings.takes_key else (item.argument,)
        try:
            return await function(*arguments), None
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # An exit would end the event loop, and nobody would hear of it.
            return None, error


def longest_pause(failed: int) -> float:
    """Return the longest pause after so many failed attempts, in seconds."""
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failed - 1, 30)))


def describe(error: BaseException) -> str:
    """Return an error as text, without the full stop of its own sentence."""
    text = str(error).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _times(attempts: int) -> str:
    return "1 attempt" if attempts == 1 else f"{attempts} attempts"
