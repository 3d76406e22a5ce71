"""An event loop in a thread of its own, in which functions of the user run.

Nothing that such a function does ends the loop or keeps its owner waiting: the loop has no task but
those of the user, so whatever is cancelled, the ends of calls are heard of.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from tidegate._attempt import Attempt, Outcome, StuckError

T = TypeVar("T")

LONGEST_CLEAN_UP = 5.0
"""How long what was cancelled is waited for, in seconds."""

QUIET = 1.0
"""After how long without news the loop is asked whether it still runs, in seconds."""


class BlockedError(Exception):
    """A function does not give the loop back."""


class ExitedError(Exception):
    """A task that a function has begun wants to end the process, as its cause tells."""


class LoopThread:
    """An event loop that runs in a thread as long as the context is open.

    `patience` is how long a function may block the loop, in seconds; with None, for ever.
    """

    def __init__(self, patience: float | None) -> None:
        self._patience = None if patience is None else min(patience, threading.TIMEOUT_MAX)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mapAsync", daemon=True)
        self._attempts: set[Attempt] = set()
        self._stuck: set[asyncio.Task[Any]] = set()
        self._failed: BaseException | None = None
        self._is_closed = self._is_blocked = False

    def __enter__(self) -> "LoopThread":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_blocked:
            # What functions have left running.
            self._cancel(lambda: asyncio.all_tasks(self._loop) - self._stuck)
        self._is_closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(0 if self._is_blocked else LONGEST_CLEAN_UP)
        # A thread that a function has blocked ends with the process.
        if not self._thread.is_alive():
            self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        # A function may stop its loop.
        while not self._is_closed:
            try:
                self._loop.run_forever()
            except BaseException as error:
                self._failed = ExitedError()
                self._failed.__cause__ = error

    def run(self, function: Callable[[], Awaitable[T]], timeout: float | None) -> Outcome:
        """Await a function, and return how it has ended; from another thread."""
        ended: SimpleQueue[Outcome] = SimpleQueue()
        self.do(self.begin, function, timeout, ended.put)
        return self.hear(ended)

    def hear(self, news: "SimpleQueue[T]") -> T:
        """Wait for what the loop says; from another thread.

        Raises BlockedError if the loop does not run any more, ExitedError, or what has failed in a
        function that was called in the loop.
        """
        while True:
            with contextlib.suppress(Empty):
                heard = news.get(timeout=QUIET)
                self._check_failed()
                return heard
            self._check_failed()
            self._check_runs()

    def _check_failed(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def _check_runs(self) -> None:
        runs = threading.Event()
        self.do(runs.set)
        if not runs.wait(self._patience):
            self._is_blocked = True
            raise BlockedError

    def do(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the loop; from another thread."""
        self._loop.call_soon_threadsafe(self._guarded, function, *arguments)

    def soon(self, function: Callable[[], None]) -> None:
        """Call a function after what the loop has to do now; from the loop itself."""
        self._loop.call_soon(self._guarded, function)

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call a function after a time; from the loop itself."""
        self._loop.call_later(seconds, self._guarded, function)

    def _guarded(self, function: Callable[..., None], *arguments: Any) -> None:
        try:
            function(*arguments)
        except Exception as error:
            # The loop would only print it, and the thread that waits would wait for ever.
            self._failed = error

    def begin(
        self,
        function: Callable[[], Awaitable[Any]],
        timeout: float | None,
        ended: Callable[[Outcome], None],
    ) -> None:
        """Begin to await a function; from the loop itself."""

        def end(outcome: Outcome) -> None:
            self._attempts.discard(attempt)
            if isinstance(outcome.error, StuckError):
                self._stuck.add(attempt.task)
            self._guarded(ended, outcome)

        attempt = Attempt(self._loop, function, timeout, LONGEST_CLEAN_UP, end)
        # The loop itself holds tasks only weakly.
        self._attempts.add(attempt)

    def cancel_attempts(self) -> None:
        """Cancel what has not ended, and wait for its end for a while; from another thread."""
        self._cancel(lambda: [attempt.task for attempt in self._attempts])

    def _cancel(self, tasks: Callable[[], Iterable["asyncio.Task[Any]"]]) -> None:
        left: set[asyncio.Task[Any]] = set()
        ended = threading.Event()

        def check() -> None:
            if not left:
                ended.set()

        def discard(task: "asyncio.Task[Any]") -> None:
            left.discard(task)
            check()

        def cancel() -> None:
            left.update(tasks())
            for task in list(left):
                task.cancel()
                task.add_done_callback(discard)
            check()

        self.do(cancel)
        if not ended.wait(LONGEST_CLEAN_UP):
            self.do(self._stuck.update, left)
