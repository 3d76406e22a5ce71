"""What `watermarks` makes of the facade's answer."""

from datetime import datetime, timezone

import pytest
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeFacade

WATERMARK = """{"orders": {"kind": "watermark", "key": 1, "watermark": 1767225655123,
 "idle": false, "eventTime": "order_time", "heldBackBy": "0", "futureEvents": 2, "substreams": {
  "0": {"watermark": 1767225655123, "idle": false},
  "1": {"watermark": null, "idle": true}}}}"""

OPERATORS = """{
 "join.left": {"kind": "operator", "key": 0, "watermark": 1767225655123, "idle": false,
  "eventTime": "order_time", "heldBackBy": "orders",
  "evictionWatermark": 1767225655000, "evictionHeldBackBy": "deliveries", "lateRows": 3},
 "join.right": {"kind": "operator", "key": 1, "watermark": 1767225655000, "idle": true,
  "eventTime": "delivery_time", "heldBackBy": null,
  "evictionWatermark": null, "evictionHeldBackBy": null, "lateRows": 0}}"""

SECOND = datetime(2026, 1, 1, 0, 0, 55, tzinfo=timezone.utc)
LATER = SECOND.replace(microsecond=123000)


def test_answer_when_of_a_watermark_then_its_times_are_datetimes_in_utc(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = WATERMARK

    assert tidegate.watermarks(query) == {
        "orders": {
            "kind": "watermark",
            "key": 1,
            "watermark": LATER,
            "idle": False,
            "eventTime": "order_time",
            "heldBackBy": "0",
            "futureEvents": 2,
            "substreams": {
                "0": {"watermark": LATER, "idle": False},
                "1": {"watermark": None, "idle": True},
            },
        }
    }
    assert facade.calls == [("a Java query",)]


def test_answer_when_of_operators_then_both_of_their_times_are_datetimes_in_utc(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = OPERATORS

    assert tidegate.watermarks(query) == {
        "join.left": {
            "kind": "operator",
            "key": 0,
            "watermark": LATER,
            "idle": False,
            "eventTime": "order_time",
            "heldBackBy": "orders",
            "evictionWatermark": SECOND,
            "evictionHeldBackBy": "deliveries",
            "lateRows": 3,
        },
        "join.right": {
            "kind": "operator",
            "key": 1,
            "watermark": SECOND,
            "idle": True,
            "eventTime": "delivery_time",
            "heldBackBy": None,
            "evictionWatermark": None,
            "evictionHeldBackBy": None,
            "lateRows": 0,
        },
    }


def test_query_when_something_else_then_the_sentence_says_what_was_found(
    facade: FakeFacade,
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.watermarks(7)  # type: ignore[arg-type]

    assert str(error.value) == (
        "query must be a pyspark.sql.streaming.StreamingQuery, found int: 7."
    )


@pytest.mark.parametrize(
    ("epoch_ms", "expected"),
    [
        (9223372036854775, datetime.max.replace(tzinfo=timezone.utc)),
        (253402300800000, datetime.max.replace(tzinfo=timezone.utc)),
        (-9223372036854775, datetime.min.replace(tzinfo=timezone.utc)),
    ],
)
def test_time_when_beyond_all_datetimes_then_is_the_nearest_one(
    query: StreamingQuery, facade: FakeFacade, epoch_ms: int, expected: datetime
) -> None:
    facade.json = WATERMARK.replace("1767225655123", str(epoch_ms))

    assert tidegate.watermarks(query)["orders"]["watermark"] == expected
