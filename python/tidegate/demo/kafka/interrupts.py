"""Ctrl-C and similar signals: all that was started is stopped in order."""

import signal
import threading
from types import FrameType, TracebackType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Turns the first signal to end the program into a ``KeyboardInterrupt``."""

    def __init__(self) -> None:
        """Change nothing yet."""
        self._asked = threading.Event()
        self._before = {number: signal.getsignal(number) for number in SIGNALS}

    def __enter__(self) -> "Interrupts":
        """Interrupt at once."""
        self._handle_with(self._raise)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the former handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def soften(self) -> None:
        """Interrupt only in ``wait``, not in a call to the JVM; a second time interrupt at once."""
        self._handle_with(self._ask)

    def wait(self, seconds: float) -> None:
        """Wait, or raise ``KeyboardInterrupt`` if there was a signal."""
        if self._asked.wait(seconds):
            self._ignore()
            raise KeyboardInterrupt

    def _raise(self, number: int, frame: FrameType | None) -> None:
        self._ignore()
        raise KeyboardInterrupt

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self._asked.is_set():
            self._raise(number, frame)
        self._asked.set()

    def _handle_with(self, handler: signal.Handlers | object) -> None:
        for number in SIGNALS:
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _ignore(self) -> None:
        self._handle_with(signal.SIG_IGN)
