"""An event loop in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop that runs in a thread as long as the context is open."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="mapAsync", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> "LoopThread":
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
        """Await in the loop, and return the result; from another thread."""
        return asyncio.run_coroutine_threadsafe(awaited, self._loop).result()

    def do(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the loop; from another thread."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def soon(self, function: Callable[[], None]) -> None:
        """Call a function after what the loop has to do now; from the loop itself."""
        self._loop.call_soon(function)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task; from the loop itself."""
        task = self._loop.create_task(work)
        # The loop itself holds tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel_tasks(self) -> None:
        """Cancel the tasks that have not ended, and wait for their ends; from another thread."""
        self.run(self._cancel())

    async def _cancel(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
