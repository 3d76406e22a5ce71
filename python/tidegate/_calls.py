"""Asynchronous calls in flight: one event loop, a bound, an order, timeouts and retries.

Runs in the Python worker of a task, and knows nothing of Spark or Arrow.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

FIRST_PAUSE = 0.1
"""The longest pause before the first retry, in seconds; doubles with each further one."""

LONGEST_PAUSE = 10.0
"""The longest pause before any retry, in seconds."""

LONGEST_CLEAN_UP = 5.0
"""How long calls that are cancelled at the end of a task are waited for, in seconds."""


class CallKey(NamedTuple):
    """Which call of a query this is: a replayed batch makes its calls with the same keys.

    Parameters
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


class Item(NamedTuple):
    """What a function is called with."""

    key: CallKey
    argument: Any


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


class Calls:
    """The calls of one task.

    `make_function` returns what is called: an ``async def``, or an object with an ``async def
    __call__`` and perhaps ``setup`` and ``teardown``, which are awaited once.
    """

    def __init__(self, make_function: Callable[[], Any], settings: CallSettings) -> None:
        self._make_function = make_function
        self._settings = settings
        self._ended: SimpleQueue[tuple[int, Ended]] = SimpleQueue()
        self._failed_in_a_row = 0

    def run(self, batches: Iterable[Iterable[Item]]) -> Iterator[Ended]:
        """Call the function with each item, and give the ended calls.

        A batch is asked for only when all items before it have been begun. The calls go on in the
        event loop meanwhile, and while the caller is busy with an answer.
        """
        with _LoopThread() as loop:
            function = self._make_function()
            loop.run(self._hook(function, "setup"))
            try:
                yield from self._answers(loop, function, batches)
            finally:
                loop.cancel_calls()
                loop.run(self._hook(function, "teardown"))

    def _answers(
        self, loop: "_LoopThread", function: Any, batches: Iterable[Iterable[Item]]
    ) -> Iterator[Ended]:
        leaving = _InOrder() if self._settings.ordered else _AsTheyCome()
        bound = self._settings.max_in_flight
        begun = left = 0
        for batch in batches:
            items = list(batch)
            at = 0
            while at < len(items):
                room = bound - (begun - left)
                chunk = items[at : at + room]
                loop.begin(
                    self._call(function, number, item, number - left + 1)
                    for number, item in enumerate(chunk, begun)
                )
                begun += len(chunk)
                at += len(chunk)
                for ended in leaving.after(self._take(wait=begun - left == bound)):
                    left += 1
                    yield ended
        while left < begun:
            for ended in leaving.after(self._take(wait=True)):
                left += 1
                yield ended

    def _take(self, wait: bool) -> Iterator[tuple[int, Ended]]:
        """Give the calls that have ended; if `wait`, at least one."""
        try:
            while True:
                number, ended = self._ended.get(block=wait)
                wait = False
                self._count_failure(ended)
                yield number, ended
        except Empty:
            return

    def _count_failure(self, ended: Ended) -> None:
        if ended.error is None:
            self._failed_in_a_row = 0
            return
        name = self._settings.function
        if not isinstance(ended.error, Exception | asyncio.CancelledError):
            raise ended.error
        if not self._settings.keeps_failures:
            batch, partition, row = ended.item.key
            raise FailedCallError(
                f"mapAsync: the call of function {name} for row {row} of partition {partition} in "
                f"batch {batch} has failed after {_times(ended.attempts)}: "
                f"{describe(ended.error)}. Catch the error in the function, allow more retries, "
                "or set onError to 'null' or 'dead letter'."
            ) from ended.error
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._settings.break_after:
            raise FailedCallError(
                f"mapAsync: {self._failed_in_a_row} calls of function {name} in a row have failed, "
                f"the last one with: {describe(ended.error)}. The query stops, because the service "
                "seems to be down. Start it again when the service answers, or raise breakAfter."
            ) from ended.error

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

    async def _call(self, function: Any, number: int, item: Item, in_flight: int) -> None:
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
        self._ended.put((number, Ended(item, result, error, attempts, micros, in_flight)))

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


class _AsTheyCome:
    """Lets ended calls leave at once."""

    def after(self, ended: Iterable[tuple[int, Ended]]) -> Iterator[Ended]:
        for _, call in ended:
            yield call


class _InOrder:
    """Holds ended calls until all before them have left."""

    def __init__(self) -> None:
        self._next = 0
        self._held: dict[int, Ended] = {}

    def after(self, ended: Iterable[tuple[int, Ended]]) -> Iterator[Ended]:
        for number, call in ended:
            self._held[number] = call
            while self._next in self._held:
                yield self._held.pop(self._next)
                self._next += 1


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mapAsync", daemon=True)
        self._calls: set[asyncio.Task[None]] = set()

    def __enter__(self) -> "_LoopThread":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def run(self, awaited: Coroutine[Any, Any, T]) -> T:
        """Await in the loop, and return the result."""
        return asyncio.run_coroutine_threadsafe(awaited, self._loop).result()

    def begin(self, calls: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Begin calls; they do not raise."""
        together = list(calls)
        if together:
            self._loop.call_soon_threadsafe(self._begin, together)

    def _begin(self, calls: list[Coroutine[Any, Any, None]]) -> None:
        for call in calls:
            task = self._loop.create_task(call)
            # The loop itself holds tasks only weakly.
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

    def cancel_calls(self) -> None:
        """Cancel the calls that are in flight, and wait for their ends."""
        self.run(self._cancel())

    async def _cancel(self) -> None:
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
