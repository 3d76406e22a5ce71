"""The picture of a query's watermarks; the JVM is a stand-in."""

import json
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.dates import num2date
from matplotlib.figure import Figure
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeFacade

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
END_MS = 2**53


class NamedQuery:
    """The JVM's side of a query."""

    def name(self) -> str:
        return "hourly"


@pytest.fixture
def query() -> StreamingQuery:
    """Return a streaming query of which only the name is known."""
    return StreamingQuery(NamedQuery())


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Draw without a screen, and forget the figures."""
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def ms(seconds: int) -> int:
    """Return a time some seconds after noon, in epoch ms."""
    return int((NOON + timedelta(seconds=seconds)).timestamp() * 1000)


def batch(number: int, **watermarks: int | None) -> dict[str, Any]:
    """Return a batch as the JVM gives it, ten seconds after the one before."""
    entries = {
        name: {"watermark": value, "heldBackBy": "b" if name == "orders" else None}
        for name, value in watermarks.items()
    }
    clock = {"wallClock": ms(10 * number), "batchTime": ms(10 * number)}
    return {"batchId": number, "inputRows": 0, "watermarks": entries, "operators": {}} | clock


def dates(numbers: Any) -> list[datetime]:
    """Return the moments that matplotlib holds as numbers."""
    return list(num2date(numbers))  # type: ignore[no-untyped-call]


def test_picture_when_drawn_then_has_a_step_for_each_batch_and_the_wall_clock(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    batches = [batch(0, orders=None, clicks=ms(-60)), batch(1, orders=ms(-90), clicks=ms(-50))]
    facade.json = json.dumps([*batches, batch(2, orders=ms(-80), clicks=ms(-50))])

    axes = tidegate.plot(query, last=3)

    assert facade.calls == [(query._jsq, 3)]
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert list(lines) == ["clicks", "orders, waits for b", "the wall clock"]
    orders = lines["orders, waits for b"]
    assert dates(orders.get_xdata(orig=False)) == [
        NOON + timedelta(seconds=10),
        NOON + timedelta(seconds=20),
    ]
    assert dates(orders.get_ydata(orig=False)) == [
        NOON - timedelta(seconds=90),
        NOON - timedelta(seconds=80),
    ]
    assert orders.get_drawstyle() == "steps-post"
    # The clock is far above, and must not press the lines together.
    assert dates(axes.get_ylim())[1] < NOON
    assert axes.get_title() == "hourly"
    assert axes.get_xlabel() == "wall clock (UTC)"
    assert axes.get_ylabel() == "event time (UTC)"


def test_picture_when_there_is_no_watermark_yet_then_says_so(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    for batches in ([], [batch(0, orders=None)], [batch(0, orders=END_MS)]):
        facade.json = json.dumps(batches)
        texts = [text.get_text() for text in tidegate.plot(query).texts]
        assert texts == ["No batch with a watermark has ended yet."]


def test_picture_when_axes_are_given_then_is_drawn_there(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = json.dumps([batch(0, orders=ms(0))])
    axes = Figure().add_subplot()

    assert tidegate.plot(query, ax=axes) is axes
    assert len(axes.get_lines()) == 2


def test_axes_when_they_are_something_else_then_are_refused(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = "[]"
    with pytest.raises(TypeError) as error:
        tidegate.plot(query, ax="here")  # type: ignore[arg-type]

    assert str(error.value) == "ax must be matplotlib axes, found str: 'here'."


def test_matplotlib_when_missing_then_the_error_says_what_to_install(
    query: StreamingQuery, facade: FakeFacade, monkeypatch: pytest.MonkeyPatch
) -> None:
    facade.json = "[]"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError) as error:
        tidegate.plot(query)

    assert str(error.value) == (
        'tidegate.plot needs matplotlib, which is not installed. Run: pip install "tidegate[plot]"'
    )
