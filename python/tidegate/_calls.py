"""Asynchronous calls in flight: one event loop, a bound, an order, timeouts and retries.

Runs in the Python worker of a task, and knows nothing of Spark or Arrow.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from tidegate import _loop
from tidegate._attempt import Outcome, StuckError
from tidegate._call import Ended, Item
from tidegate._loop import BlockedError, ExitedError, LoopThread
from tidegate._stage import Stage

FIRST_PAUSE = 0.1
"""The longest pause before the first retry, in seconds; doubles with each further one."""

LONGEST_PAUSE = 10.0
"""The longest pause before any retry, in seconds."""


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
    """How long an attempt may take, and each of setup and teardown; None: for ever."""
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
        with self._explained(), LoopThread(self._patience) as loop, self._open(loop) as function:
            stage = Stage(
                loop,
                partial(_Call, loop, function, self._settings),
                self._fatal,
                self._settings.ordered,
                self._settings.max_in_flight,
            )
            try:
                for batch in batches:
                    stage.enter(list(batch))
                    yield from stage.leave(lambda: stage.waiting == 0)
                yield from stage.leave(lambda: stage.is_empty)
            except BlockedError:
                raise
            except BaseException:
                stage.close()
                raise

    @property
    def _patience(self) -> float | None:
        """How long a function may block the loop, which keeps it from being cancelled in time."""
        timeout = self._settings.timeout
        return None if timeout is None else max(timeout, _loop.LONGEST_CLEAN_UP)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Give what functions do to their loop a sentence."""
        name = self._settings.function
        try:
            yield
        except BlockedError as error:
            raise FailedCallError(
                f"mapAsync: function {name} has blocked its event loop for {self._patience:g} s, "
                "so that no call can end. Await what waits, such as asyncio.sleep instead of "
                "time.sleep, move it to asyncio.to_thread, or raise timeout."
            ) from error
        except ExitedError as error:
            cause = error.__cause__ or error
            raise self._exits(cause, "in a task of its own") from cause

    @contextmanager
    def _open(self, loop: LoopThread) -> Iterator[Any]:
        """Make the function, with setup and teardown."""
        try:
            function = self._make_function()
        except Exception as error:
            raise self._hook_failed("__init__", error) from error
        self._hook(loop, function, "setup")
        try:
            yield function
        except BlockedError:
            raise
        except Exception as error:
            try:
                self._hook(loop, function, "teardown")
            except Exception as second:
                # The first error tells why the task ends.
                if hasattr(error, "add_note"):
                    error.add_note(str(second))
            raise
        except BaseException:
            self._hook(loop, function, "teardown")
            raise
        self._hook(loop, function, "teardown")

    def _fatal(self, ended: Ended) -> Exception | None:
        """Return the error that ends the task because of this call, if there is one."""
        error = ended.error
        if error is None:
            self._failed_in_a_row = 0
            return None
        name = self._settings.function
        batch, partition, row = ended.item.key
        call = f"row {row} of partition {partition} in batch {batch}"
        if isinstance(error, StuckError):
            text = (
                f"mapAsync: the call of function {name} for {call} does not end: {error}. Let the "
                "function pass asyncio.CancelledError on, and end, or raise timeout."
            )
        elif not isinstance(error, Exception | asyncio.CancelledError):
            return self._exits(error, f"for {call}")
        elif not self._settings.keeps_failures:
            text = (
                f"mapAsync: the call of function {name} for {call} has failed after "
                f"{_times(ended.attempts)}: {describe(error)}. Catch the error in the function, "
                "allow more retries, or set onError to 'null' or 'dead letter'."
            )
        else:
            self._failed_in_a_row += 1
            if self._failed_in_a_row < self._settings.break_after:
                return None
            text = (
                f"mapAsync: {self._failed_in_a_row} calls of function {name} in a row have failed, "
                f"the last one with: {describe(error)}. The query stops, because the service "
                "seems to be down. Start it again when the service answers, or raise breakAfter."
            )
        return _caused(error, text)

    def _exits(self, error: BaseException, where: str) -> Exception:
        return _caused(
            error,
            f"mapAsync: function {self._settings.function} has raised {describe(error)} {where}. "
            "It ends the query, whatever onError says. Raise an Exception instead.",
        )

    def _hook(self, loop: LoopThread, function: Any, name: str) -> None:
        hook = getattr(function, name, None)
        if hook is None:
            return
        error = loop.run(hook, self._settings.timeout).error
        if error is not None:
            raise self._hook_failed(name, error)

    def _hook_failed(self, name: str, error: BaseException) -> Exception:
        cure = "The query stops; start it again when the cause is gone."
        if isinstance(error, TimeoutError | StuckError):
            cure = (
                "Each of setup and teardown may take as long as an attempt: raise timeout, or do "
                "what takes longer in __init__, which has no limit."
            )
        failed = f"{name} of function {self._settings.function} has failed: {describe(error)}"
        return _caused(error, f"mapAsync: {failed}. {cure}")


class _Call:
    """One call from its first attempt to its end; lives in the loop.

    A retry begins only when the attempt before it has ended, so that no row has two.
    """

    def __init__(
        self,
        loop: LoopThread,
        function: Any,
        settings: CallSettings,
        item: Item,
        in_flight: int,
        ended: Callable[[Ended], None],
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._item = item
        self._in_flight = in_flight
        self._ended = ended
        arguments = (item.argument, item.key) if settings.takes_key else (item.argument,)
        self._function = partial(function, *arguments)
        self._began = time.perf_counter()
        self._attempts = 0
        self._attempt()

    def _attempt(self) -> None:
        self._attempts += 1
        self._loop.begin(self._function, self._settings.timeout, self._answered)

    def _answered(self, outcome: Outcome) -> None:
        error = outcome.error
        may_retry = isinstance(error, Exception) and not isinstance(error, StuckError)
        if may_retry and self._attempts <= self._settings.retries:
            # Full jitter: calls that failed together do not come back together.
            self._loop.later(random.uniform(0, longest_pause(self._attempts)), self._attempt)
            return
        micros = round((time.perf_counter() - self._began) * 1e6)
        result = Ended(self._item, outcome.result, error, self._attempts, micros, self._in_flight)
        self._ended(result)


def longest_pause(failed: int) -> float:
    """Return the longest pause after so many failed attempts, in seconds."""
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failed - 1, 30)))


def describe(error: BaseException) -> str:
    """Return an error as text, without the full stop of its own sentence."""
    name = type(error).__name__
    try:
        text = str(error).rstrip(".")
    except Exception as second:
        text = f"its text cannot be made ({type(second).__name__})"
    # Half of a pair of surrogates is no text for Arrow.
    text = text.encode("utf-8", "replace").decode()
    return f"{name}: {text}" if text else name


def _caused(cause: BaseException, text: str) -> FailedCallError:
    failed = FailedCallError(text)
    failed.__cause__ = cause
    return failed


def _times(attempts: int) -> str:
    return "1 attempt" if attempts == 1 else f"{attempts} attempts"
