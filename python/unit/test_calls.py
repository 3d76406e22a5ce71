"""Calls in flight: their bound, their order, their errors, and what is opened for them."""

import asyncio
import contextlib
import random
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tidegate import _calls, _loop
from tidegate._call import CallKey, Ended, Item
from tidegate._calls import Calls, CallSettings, FailedCallError, describe
from tidegate._loop import LoopThread

SETTINGS = CallSettings(
    function="price",
    ordered=True,
    max_in_flight=3,
    timeout=None,
    retries=0,
    keeps_failures=True,
    break_after=100,
    takes_key=False,
)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry at once, and ask a loop without news at once whether it runs."""
    monkeypatch.setattr(_calls, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(_loop, "QUIET", 0.01)


def items(*arguments: Any) -> list[Item]:
    return [Item(CallKey(7, 1, i), argument) for i, argument in enumerate(arguments)]


def run(fn: Any, *arguments: Any, **changes: Any) -> list[Ended]:
    calls = Calls(lambda: fn, replace(SETTINGS, **changes))
    return list(calls.run([items(*arguments)]))


class Gate:
    """Calls that wait for each other: call `n` ends after call `after[n]`."""

    def __init__(self, after: dict[int, int]) -> None:
        self.after = after
        self.ended: dict[int, asyncio.Event] = {}
        self.in_flight = 0
        self.most = 0

    async def setup(self) -> None:
        self.ended = {n: asyncio.Event() for n in range(10)}

    async def __call__(self, n: int) -> int:
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            if n in self.after:
                await self.ended[self.after[n]].wait()
            self.ended[n].set()
        finally:
            self.in_flight -= 1
        return n * 10


def test_calls_when_the_stage_itself_fails_then_the_error_comes_out() -> None:
    async def fn(row: Any) -> Any:
        return row

    calls = Calls(lambda: fn, SETTINGS)
    with pytest.raises(AttributeError):
        list(calls.run([["no item"]]))  # type: ignore[list-item]


def test_order_when_kept_then_answers_leave_as_rows_came() -> None:
    ended = run(Gate({0: 2, 1: 0}), 0, 1, 2, 3)

    assert [call.result for call in ended] == [0, 10, 20, 30]
    assert [call.attempts for call in ended] == [1, 1, 1, 1]


def test_order_when_not_kept_then_answers_leave_as_they_come() -> None:
    ended = run(Gate({0: 2, 1: 0}), 0, 1, 2, ordered=False)

    assert [call.result for call in ended] == [20, 0, 10]


@pytest.mark.parametrize("ordered", [True, False])
def test_bound_when_reached_then_no_call_begins(ordered: bool) -> None:
    gate = Gate({n: n + 2 for n in (0, 3, 6)})
    ended = run(gate, *range(9), ordered=ordered)

    assert sorted(call.result for call in ended) == [n * 10 for n in range(9)]
    assert gate.most <= 3
    assert max(call.in_flight for call in ended) == 3


@pytest.mark.parametrize("seed", range(40))
def test_calls_when_they_end_in_any_order_then_each_row_has_its_answer_once(seed: int) -> None:
    chance = random.Random(seed)
    count, bound, ordered = chance.randrange(60), chance.randrange(1, 9), chance.random() < 0.5
    turns = [chance.randrange(20) for _ in range(count)]
    failures = [chance.choice([0, 0, 0, 1, 2, 3]) for _ in range(count)]
    in_flight, most = 0, 0

    async def call(n: int) -> int:
        nonlocal in_flight, most
        in_flight += 1
        most = max(most, in_flight)
        for _ in range(turns[n]):
            await asyncio.sleep(0)
        in_flight -= 1
        if failures[n] > 0:
            failures[n] -= 1
            raise OSError("reset")
        return n

    wanted = [(n, 1 + min(f, 2), n if f < 3 else None) for n, f in enumerate(failures)]
    cuts = sorted(chance.randrange(count + 1) for _ in range(3))
    rows = items(*range(count))
    batches = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, count])]
    settings = replace(SETTINGS, ordered=ordered, max_in_flight=bound, retries=2)
    ended = list(Calls(lambda: call, settings).run(batches))

    found = [(call.item.argument, call.attempts, call.result) for call in ended]
    assert (found if ordered else sorted(found)) == wanted
    assert most <= bound


def test_batches_when_all_before_have_begun_then_the_next_is_read_while_calls_go_on() -> None:
    begun: list[int] = []
    read = asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def call(n: int) -> int:
        loops.append(asyncio.get_running_loop())
        begun.append(n)
        if n == 0:
            await read.wait()
        return n

    def batches() -> Iterator[list[Item]]:
        yield items(0)
        while not begun:
            pass
        loops[0].call_soon_threadsafe(read.set)
        yield items(1)

    ended = list(Calls(lambda: call, SETTINGS).run(batches()))

    assert [call.result for call in ended] == [0, 1]


def test_call_when_it_fails_at_first_then_is_made_again() -> None:
    made: list[int] = []

    async def second_time(n: int) -> int:
        made.append(n)
        if made.count(n) < 2:
            raise OSError("reset")
        return n

    ended = run(second_time, 0, 1, retries=1)

    assert [(call.result, call.attempts, call.error) for call in ended] == [
        (0, 2, None),
        (1, 2, None),
    ]


def test_call_when_it_fails_for_good_then_the_error_is_its_answer() -> None:
    async def odd(n: int) -> int:
        if n % 2:
            raise OSError("reset")
        return n

    ended = run(odd, 0, 1, 2, retries=2)

    assert [(call.result, call.attempts) for call in ended] == [(0, 1), (None, 3), (2, 1)]
    assert str(ended[1].error) == "reset"


def test_call_when_failures_are_not_kept_then_the_task_fails_with_the_key() -> None:
    async def down(n: int) -> int:
        raise OSError("reset by peer.")

    with pytest.raises(FailedCallError) as error:
        run(down, 5, retries=1, keeps_failures=False)

    assert str(error.value) == (
        "mapAsync: the call of function price for row 0 of partition 1 in batch 7 has failed after "
        "2 attempts: OSError: reset by peer. Catch the error in the function, allow more retries, "
        "or set onError to 'null' or 'dead letter'."
    )


def test_call_when_it_hangs_then_its_time_is_over() -> None:
    async def hang(n: int) -> int:
        await asyncio.Event().wait()
        return n

    (ended,) = run(hang, 0, timeout=0.01)

    assert repr(ended.error) == "TimeoutError('no answer within 0.01 s')"


def test_call_when_it_is_cancelled_then_that_is_its_error() -> None:
    async def cancelled(n: int) -> int:
        raise asyncio.CancelledError

    (ended,) = run(cancelled, 0)

    assert repr(ended.error) == "CancelledError('the function was cancelled')"


EXITS: list[tuple[type[BaseException], tuple[Any, ...], str]] = [
    (SystemExit, (3,), "SystemExit: 3"),
    (KeyboardInterrupt, (), "KeyboardInterrupt"),
    (GeneratorExit, (), "GeneratorExit"),
]


@pytest.mark.parametrize(("kind", "arguments", "text"), EXITS)
def test_call_when_it_exits_then_the_task_ends_with_a_sentence(
    kind: type[BaseException], arguments: tuple[Any, ...], text: str
) -> None:
    async def leave(n: int) -> int:
        raise kind(*arguments)

    with pytest.raises(FailedCallError) as error:
        run(leave, 0, retries=5)

    assert str(error.value) == (
        f"mapAsync: function price has raised {text} for row 0 of partition 1 in batch 7. It ends "
        "the query, whatever onError says. Raise an Exception instead."
    )


def test_call_when_a_task_of_its_own_exits_then_the_task_ends_with_a_sentence() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def call(n: int) -> None:
        task = asyncio.ensure_future(leave())
        await asyncio.Event().wait()
        await task

    with pytest.raises(FailedCallError) as error:
        run(call, 0)

    assert str(error.value) == (
        "mapAsync: function price has raised SystemExit: 3 in a task of its own. It ends the "
        "query, whatever onError says. Raise an Exception instead."
    )


@pytest.mark.parametrize("retries", [0, 2])
def test_call_when_it_ends_late_then_is_waited_for_and_its_answer_counts(retries: int) -> None:
    living: list[int] = []
    most: list[int] = []

    async def slow_to_end(n: int) -> int:
        living.append(n)
        most.append(len(living))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for _ in range(50):
                await asyncio.sleep(0)
        living.remove(n)
        if n % 2:
            raise OSError("reset")
        return n

    ended = run(slow_to_end, *range(6), timeout=0.01, retries=retries, max_in_flight=2)

    assert max(most) == 2
    late = "TimeoutError('no answer within 0.01 s')"
    assert [(call.result, call.attempts, repr(call.error)) for call in ended] == [
        (None, retries + 1, late) if n % 2 else (n, 1, "None") for n in range(6)
    ]


def deaf() -> Callable[[int], Any]:
    """Return a function that does not end when it is cancelled, unless the loop does."""

    async def never_ends(n: int) -> None:
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    return never_ends


def test_call_when_it_never_ends_then_the_task_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loop, "LONGEST_CLEAN_UP", 0.01)

    with pytest.raises(FailedCallError) as error:
        run(deaf(), 0, 1, timeout=0.01, retries=5)

    assert str(error.value) == (
        "mapAsync: the call of function price for row 0 of partition 1 in batch 7 does not end: it "
        "still runs 0.01 s after it was cancelled, no answer within 0.01 s. Let the function pass "
        "asyncio.CancelledError on, and end, or raise timeout."
    )


def test_call_when_it_blocks_the_loop_then_the_task_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_loop, "LONGEST_CLEAN_UP", 0.01)
    released = threading.Event()

    async def block(n: int) -> None:
        released.wait()

    with pytest.raises(FailedCallError) as error:
        run(block, 0, timeout=0.01)
    released.set()

    assert str(error.value) == (
        "mapAsync: function price has blocked its event loop for 0.01 s, so that no call can end. "
        "Await what waits, such as asyncio.sleep instead of time.sleep, move it to "
        "asyncio.to_thread, or raise timeout."
    )


def test_loop_when_a_function_stops_it_then_calls_go_on() -> None:
    async def stop(n: int) -> int:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        return n

    assert [call.result for call in run(stop, *range(5))] == [*range(5)]


@pytest.mark.parametrize("seed", range(5))
def test_loop_when_a_function_cancels_all_its_tasks_then_every_call_ends(seed: int) -> None:
    chance = random.Random(seed)

    async def cancel(n: int) -> int:
        if chance.random() < 0.3:
            for task in asyncio.all_tasks():
                task.cancel()
        await asyncio.sleep(0)
        return n

    ended = run(cancel, *range(40))

    assert [call.item.argument for call in ended] == [*range(40)]
    assert {repr(call.error) for call in ended if call.error} == {
        "CancelledError('the function was cancelled')"
    }


def test_error_when_it_has_no_text_then_its_class_is_told() -> None:
    class WordlessError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    assert describe(WordlessError()) == "WordlessError: its text cannot be made (RuntimeError)"
    assert describe(ValueError("half a pair: \ud83d")) == "ValueError: half a pair: ?"


def test_breaker_when_calls_fail_in_a_row_then_names_the_function() -> None:
    async def down(n: int) -> int:
        raise OSError("refused")

    with pytest.raises(FailedCallError) as error:
        run(down, *range(9), break_after=4)

    assert str(error.value) == (
        "mapAsync: 4 calls of function price in a row have failed, the last one with: OSError: "
        "refused. The query stops, because the service seems to be down. Start it again when the "
        "service answers, or raise breakAfter."
    )


def test_breaker_when_a_call_between_succeeds_then_counts_anew() -> None:
    async def third(n: int) -> int:
        if n % 3:
            raise OSError("refused")
        return n

    assert len(run(third, *range(9), break_after=3, max_in_flight=1)) == 9


def test_pauses_when_attempts_fail_then_double_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_calls, "FIRST_PAUSE", 0.1)

    assert [_calls.longest_pause(n) for n in (1, 2, 3, 8, 5000)] == [0.1, 0.2, 0.4, 10.0, 10.0]


def test_pauses_when_calls_fail_together_then_are_random_up_to_the_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_calls, "FIRST_PAUSE", 0.1)
    bounds: list[tuple[float, float]] = []
    slept: list[float] = []
    draw = random.Random(1).uniform
    later = LoopThread.later

    def uniform(low: float, high: float) -> float:
        bounds.append((low, high))
        return draw(low, high)

    def at_once(loop: LoopThread, seconds: float, function: Callable[[], None]) -> None:
        slept.append(seconds)
        later(loop, 0, function)

    monkeypatch.setattr(random, "uniform", uniform)
    monkeypatch.setattr(LoopThread, "later", at_once)

    async def refused(n: int) -> int:
        raise OSError("refused")

    ended = run(refused, *range(20), retries=2, max_in_flight=20)

    assert [call.attempts for call in ended] == [3] * 20
    assert sorted(bounds) == [(0, 0.1)] * 20 + [(0, 0.2)] * 20
    # No two calls come back together, and the pauses have all lengths.
    assert len(set(slept)) == 40
    assert min(slept) < 0.02 and max(slept) > 0.16


def test_key_when_the_function_takes_it_then_is_the_item_s() -> None:
    async def keyed(n: int, key: CallKey) -> CallKey:
        return key

    ended = run(keyed, "a", "b", takes_key=True)

    assert [call.result for call in ended] == [CallKey(7, 1, 0), CallKey(7, 1, 1)]


class Connection:
    """Tells when it was opened and closed."""

    def __init__(self, fails: str = "") -> None:
        self.fails = fails
        self.done: list[str] = []

    async def setup(self) -> None:
        self.note("setup")

    async def teardown(self) -> None:
        self.note("teardown")

    async def __call__(self, n: int) -> int:
        self.note("call")
        return n

    def note(self, what: str) -> None:
        self.done.append(what)
        if what == self.fails:
            raise OSError("refused")


def test_connection_when_calls_end_then_is_opened_and_closed_once() -> None:
    connection = Connection()
    run(connection, 0, 1)

    assert connection.done == ["setup", "call", "call", "teardown"]


def test_connection_when_a_call_fails_then_is_closed() -> None:
    connection = Connection("call")
    with pytest.raises(FailedCallError):
        run(connection, 0, keeps_failures=False)

    assert connection.done == ["setup", "call", "teardown"]


def test_connection_when_the_reader_stops_early_then_calls_end_and_it_is_closed() -> None:
    gate = Gate({1: 9})
    closed: list[int] = []

    async def teardown() -> None:
        closed.append(gate.in_flight)

    gate.teardown = teardown  # type: ignore[attr-defined]
    answers: Any = Calls(lambda: gate, SETTINGS).run([items(0, 1)])
    assert next(answers).result == 0
    answers.close()

    # The call that was in flight has ended before.
    assert closed == [0]


@pytest.mark.parametrize("hook", ["setup", "teardown"])
def test_connection_when_a_hook_hangs_then_its_time_is_over(hook: str) -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    connection = Connection()
    setattr(connection, hook, hang)
    with pytest.raises(FailedCallError) as error:
        run(connection, 0, timeout=0.01)

    assert str(error.value) == (
        f"mapAsync: {hook} of function price has failed: TimeoutError: no answer within 0.01 s. "
        "Each of setup and teardown may take as long as an attempt: raise timeout, or do what "
        "takes longer in __init__, which has no limit."
    )


def test_connection_when_teardown_fails_after_a_call_then_the_call_is_told() -> None:
    class Down(Connection):
        async def __call__(self, n: int) -> int:
            raise OSError("refused")

    with pytest.raises(FailedCallError) as error:
        run(Down("teardown"), 0, keeps_failures=False)

    assert "the call of function price for row 0" in str(error.value)
    if sys.version_info >= (3, 11):
        assert "teardown of function price has failed" in error.value.__notes__[0]


def test_connection_when_it_cannot_be_made_then_says_so() -> None:
    def make() -> None:
        raise OSError("no file")

    with pytest.raises(FailedCallError) as error:
        list(Calls(make, SETTINGS).run([items(0)]))

    assert str(error.value) == (
        "mapAsync: __init__ of function price has failed: OSError: no file. The query stops; start "
        "it again when the cause is gone."
    )


@pytest.mark.parametrize("hook", ["setup", "teardown"])
def test_connection_when_a_hook_fails_then_names_it(hook: str) -> None:
    with pytest.raises(FailedCallError) as error:
        run(Connection(hook), 0)

    assert str(error.value) == (
        f"mapAsync: {hook} of function price has failed: OSError: refused. The query stops; start "
        "it again when the cause is gone."
    )


def test_rows_when_there_are_none_then_nothing_is_called() -> None:
    never: Callable[..., Any] = Connection("call")

    assert run(never) == []
