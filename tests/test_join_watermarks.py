"""The watermarks of a join: each side has its own, and waits for that of the other side."""

from datetime import datetime, timedelta, timezone

import pytest

import tidegate
from feeds import Feed, counts
from pairs import BETWEEN, BETWEEN_THE_OTHER_WAY, clock_times, joined
from statuses import operator_of
from tidegate.joins import Between


@pytest.mark.parametrize("between", [BETWEEN, BETWEEN_THE_OTHER_WAY], ids=["right", "left"])
def test_left_outer_join_when_a_row_has_no_match_then_it_leaves_as_soon_as_the_bounds_allow(
    orders: Feed, deliveries: Feed, between: Between
) -> None:
    def run_after_delivery(time: str, order_id: int) -> tuple[str, list[tuple[object, ...]]]:
        deliveries.add((time, order_id))
        result = clock_times(joined(orders, deliveries, "leftOuter", between))
        query, rows = orders.run_query(result)
        return f"{tidegate.watermarks(query)['delivery']['watermark']:%H:%M:%S}", rows

    orders.add(("12:00:00", 1), ("12:00:01", 2))

    assert run_after_delivery("12:03:00", 2) == ("12:02:55", [(2, "12:00:01", "12:03:00")])
    # A delivery of order 1 at 12:10:00 would be in time, and not late.
    assert run_after_delivery("12:10:05", 99) == ("12:10:00", [])
    assert run_after_delivery("12:10:06", 99) == ("12:10:01", [(1, "12:00:00", None)])
    assert run_after_delivery("12:10:07", 99) == ("12:10:02", [])


def test_right_outer_join_when_the_left_side_advances_then_rows_without_a_match_leave(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:00", 1))
    deliveries.add(("12:03:00", 7))

    with orders.running(clock_times(joined(orders, deliveries, "rightOuter"))) as (query, emitted):
        orders.add(("12:03:05", 98))
        query.processAllAvailable()
        held = emitted.all()
        orders.add(("12:03:06", 99))
        released = emitted.next()

    assert held == []
    assert released == (7, None, "12:03:00")


def test_late_rows_when_of_one_side_then_its_own_watermark_decides(
    orders: Feed, deliveries: Feed
) -> None:
    for minute in (28, 29, 30):
        orders.add((f"12:{minute}:00", minute))
        deliveries.add((f"12:00:{minute}", 99))
    orders.add(("12:20:00", 2))
    # Both are behind the watermark of the orders, and not behind that of the deliveries.
    deliveries.add(("12:20:01", 2), ("12:28:10", 28))

    query, rows = orders.run_query(clock_times(joined(orders, deliveries)))

    assert rows == [(28, "12:28:00", "12:28:10")]
    assert operator_of(query, "join.left")["lateRows"] == 1
    assert operator_of(query, "join.right")["lateRows"] == 0


@pytest.mark.parametrize(
    ("column", "first", "second"),
    [
        ("order_time", [], [("12:00", 2)]),
        ("delivery_time", [("12:00", 1)], [("12:09", 1)]),
    ],
)
def test_windows_when_over_a_join_then_both_time_columns_have_their_watermarks(
    orders: Feed,
    deliveries: Feed,
    column: str,
    first: list[tuple[str, int]],
    second: list[tuple[str, int]],
) -> None:
    def run() -> tuple[list[tuple[object, ...]], str | None]:
        query, rows = orders.run_query(counts(joined(orders, deliveries), column))
        return rows, tidegate.watermarks(query)["aggregate"]["heldBackBy"]

    orders.add(("12:00:10", 1), ("12:00:20", 2), ("12:30:00", 3))
    deliveries.add(("12:00:30", 1), ("12:09:00", 2))
    # Deliveries of orders at 12:00 are still to come, deliveries before 12:08:55 are not.
    assert run() == (first, "delivery")

    deliveries.add(("12:50:00", 99))
    assert run() == (second, "order")


def test_watermarks_when_the_query_has_a_join_then_tell_of_both_of_its_sides(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1))
    deliveries.add(("12:05:00", 1))

    query, _ = orders.run_query(joined(orders, deliveries))
    watermarks = tidegate.watermarks(query)

    order_time = datetime(2026, 1, 1, 12, 0, 5, tzinfo=timezone.utc)
    delivery_time = datetime(2026, 1, 1, 12, 4, 55, tzinfo=timezone.utc)
    assert sorted(watermarks) == ["delivery", "join.left", "join.right", "order"]
    assert watermarks["join.left"] == {
        "kind": "operator",
        "key": 0,
        "watermark": order_time,
        "idle": False,
        "eventTime": "order_time",
        "heldBackBy": "order",
        # Older orders find no delivery any more.
        "evictionWatermark": delivery_time - timedelta(minutes=10),
        "evictionHeldBackBy": "delivery",
        "lateRows": 0,
        "partlyLateRows": 0,
        "partlyLateWindows": 0,
    }
    assert watermarks["join.right"] == {
        "kind": "operator",
        "key": 1,
        "watermark": delivery_time,
        "idle": False,
        "eventTime": "delivery_time",
        "heldBackBy": "delivery",
        "evictionWatermark": order_time,
        "evictionHeldBackBy": "order",
        "lateRows": 0,
        "partlyLateRows": 0,
        "partlyLateWindows": 0,
    }


def test_watermarks_when_one_side_has_no_rows_yet_then_tell_what_the_other_one_waits_for(
    orders: Feed, deliveries: Feed
) -> None:
    orders.add(("12:00:10", 1))

    query, _ = orders.run_query(joined(orders, deliveries))

    left, right = operator_of(query, "join.left"), operator_of(query, "join.right")
    assert (left["evictionWatermark"], left["evictionHeldBackBy"]) == (None, "delivery")
    assert (right["watermark"], right["heldBackBy"]) == (None, "delivery")
