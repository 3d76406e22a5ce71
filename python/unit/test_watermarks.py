"""What `watermarks` makes of the facade's answer."""

from datetime import datetime, timezone

import pytest
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeFacade

ANSWER = """{"orders": {"key": 1, "watermark": 1767225655123, "idle": false,
 "eventTime": "order_time", "futureEvents": 2, "substreams": {
  "0": {"watermark": 1767225655123, "idle": false},
  "1": {"watermark": null, "idle": true}}}}"""


def test_answer_when_it_has_times_then_they_are_datetimes_in_utc(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = ANSWER
    time = datetime(2026, 1, 1, 0, 0, 55, 123000, tzinfo=timezone.utc)

    assert tidegate.watermarks(query) == {
        "orders": {
            "key": 1,
            "watermark": time,
            "idle": False,
            "eventTime": "order_time",
            "futureEvents": 2,
            "substreams": {
                "0": {"watermark": time, "idle": False},
                "1": {"watermark": None, "idle": True},
            },
        }
    }
    assert facade.calls == [("a Java query",)]


def test_query_when_something_else_then_the_sentence_says_what_was_found(
    facade: FakeFacade,
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.watermarks(7)  # type: ignore[arg-type]

    assert str(error.value) == (
        "query must be a pyspark.sql.streaming.StreamingQuery, found int: 7."
    )
