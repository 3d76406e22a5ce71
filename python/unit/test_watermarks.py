"""What `watermarks` makes of the facade's answer."""

import copy
import json
import pickle
import re
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Row
from pyspark.sql.connect.streaming.query import StreamingQuery as ConnectQuery
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeConnectSession, FakeFacade

WATERMARK = """{"orders": {"kind": "watermark", "key": 1, "watermark": 1767225655123,
 "idle": false, "eventTime": "order_time", "heldBackBy": "0",
 "futureEvents": 1, "futureEventsTotal": 2, "substreams": {
  "0": {"watermark": 1767225655123, "idle": false},
  "1": {"watermark": null, "idle": true}}}}"""

OPERATORS = """{
 "join.left": {"kind": "operator", "key": 0, "watermark": 1767225655123, "idle": false,
  "eventTime": "order_time", "heldBackBy": "orders",
  "evictionWatermark": 1767225655000, "evictionHeldBackBy": "deliveries",
  "lateRows": 1, "lateRowsTotal": 3, "partlyLateRows": 1, "partlyLateRowsTotal": 4,
  "partlyLateWindows": 1, "partlyLateWindowsTotal": 9},
 "join.right": {"kind": "operator", "key": 1, "watermark": 1767225655000, "idle": true,
  "eventTime": "delivery_time", "heldBackBy": null,
  "evictionWatermark": null, "evictionHeldBackBy": null,
  "lateRows": 1, "lateRowsTotal": 0, "partlyLateRows": 1, "partlyLateRowsTotal": 0,
  "partlyLateWindows": 1, "partlyLateWindowsTotal": 0}}"""

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
            "partlyLateRows": 4,
            "partlyLateWindows": 9,
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
            "partlyLateRows": 0,
            "partlyLateWindows": 0,
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


NODE_ROW = {
    "name": "orders",
    "kind": "watermark",
    "key": 1,
    "event_time": "order_time",
    "watermark": 1767225655123,
    "idle": False,
    "held_back_by": "0",
    "substream": "0",
    "substream_watermark": 1767225655123,
    "substream_idle": False,
    "future_events": 2,
    "eviction_watermark": None,
    "eviction_held_back_by": None,
    "late_rows": None,
    "partly_late_rows": None,
    "partly_late_windows": None,
}
SECOND_ROW = {"substream": "1", "substream_watermark": None, "substream_idle": True}
NO_SUBSTREAM = {"substream": None, "substream_watermark": None, "substream_idle": None}
OPERATOR_ROW = {
    "name": "join.left",
    "kind": "operator",
    "key": 0,
    "event_time": "order_time",
    "watermark": 1767225655123,
    "idle": False,
    "held_back_by": "orders",
    **NO_SUBSTREAM,
    "future_events": None,
    "eviction_watermark": 1767225655000,
    "eviction_held_back_by": "deliveries",
    "late_rows": 3,
    "partly_late_rows": 4,
    "partly_late_windows": 9,
}


def rows(*values: dict[str, Any]) -> list[Row]:
    """Return the rows as a server of Spark Connect sends them."""
    return [Row(**{_sent(name): own for name, own in value.items()}) for value in values]


def _sent(name: str) -> str:
    is_count = name in ("future_events", "late_rows", "partly_late_rows", "partly_late_windows")
    first, *others = (f"{name}_total" if is_count else name).split("_")
    return first + "".join(map(str.title, others))


def connect_query(session: FakeConnectSession) -> Any:
    """Return a query of Spark Connect without a server."""
    session_of_any: Any = session
    return ConnectQuery(session_of_any, queryId="an id", runId="a run", name="orders")


def test_rows_when_of_spark_connect_then_the_answer_is_that_of_the_facade(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    session = FakeConnectSession()
    session.rows = rows(NODE_ROW, NODE_ROW | SECOND_ROW, OPERATOR_ROW)
    facade.json = json.dumps(
        json.loads(WATERMARK) | {"join.left": json.loads(OPERATORS)["join.left"]}
    )

    found = tidegate.watermarks(connect_query(session))

    assert found == tidegate.watermarks(query)
    ((statement, values, _),) = session.calls
    assert statement.endswith("FROM tidegate_watermarks(:query)\n")
    assert values == {"query": "a run"}


def test_rows_when_there_is_no_substream_yet_then_there_is_none_in_the_answer() -> None:
    session = FakeConnectSession()
    session.rows = rows(NODE_ROW | NO_SUBSTREAM)

    node = tidegate.watermarks(connect_query(session))["orders"]

    assert node["kind"] == "watermark"
    assert node["substreams"] == {}


def test_server_when_without_the_extension_then_says_how_to_start_it() -> None:
    session = FakeConnectSession()
    parameters = {"name": "`tidegate_watermarks`"}
    condition = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
    session.failure = AnalysisException("Could not resolve", condition, parameters)

    with pytest.raises(tidegate.MissingExtensionError):
        tidegate.watermarks(connect_query(session))


def test_query_when_something_else_of_spark_connect_then_says_what_was_found() -> None:
    members = {
        "__module__": "pyspark.sql.connect.streaming.readwriter",
        "__repr__": lambda _: "a writer",
    }
    writer: Any = type("DataStreamWriter", (), members)()

    with pytest.raises(TypeError) as error:
        tidegate.watermarks(writer)

    assert str(error.value) == (
        "query must be a pyspark.sql.streaming.StreamingQuery, found DataStreamWriter: a writer."
    )


def test_answer_when_copied_then_is_the_same_dict(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = WATERMARK

    found = tidegate.watermarks(query)

    copies = [copy.deepcopy(found), pickle.loads(pickle.dumps(found)), dict(found)]
    assert all(same == found for same in copies)
    assert json.loads(json.dumps(found, default=str))["orders"]["watermark"] == str(LATER)


class Tables:
    """A session that keeps what DataFrames are made of."""

    def createDataFrame(self, data: list[tuple[Any, ...]], schema: str) -> Any:
        columns = [column.split()[0] for column in schema.split(", ")]
        return [dict(zip(columns, row, strict=True)) for row in data]


def table_of(query: StreamingQuery) -> list[dict[str, Any]]:
    session: Any = Tables()
    made: DataFrame | Any = tidegate.watermarks(query).toDF(session)
    assert isinstance(made, list)
    return made


def test_table_when_made_then_has_a_row_for_each_substream_and_operator(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = json.dumps(json.loads(WATERMARK) | json.loads(OPERATORS))

    first, second, left, _ = table_of(query)

    assert first == NODE_ROW | {"watermark": LATER, "substream_watermark": LATER}
    assert second == first | SECOND_ROW
    assert left == OPERATOR_ROW | {"watermark": LATER, "eviction_watermark": SECOND}


def test_table_when_there_is_no_substream_then_the_watermark_has_one_row(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    node = json.loads(WATERMARK)["orders"]
    facade.json = json.dumps({"orders": node | {"substreams": {}}})

    assert table_of(query) == [NODE_ROW | NO_SUBSTREAM | {"watermark": LATER}]


def cells(html: str) -> list[list[str]]:
    """Return the text of each cell, row by row."""
    return [re.findall("<t[dh] [^>]*>(.*?)</t[dh]>", row) for row in html.split("</tr>")[:-1]]


def keyed(substreams: dict[str, Any], name: str = "orders") -> tidegate.QueryWatermarks:
    watermark: Any = {
        "kind": "watermark",
        "key": 0,
        "watermark": SECOND,
        "idle": False,
        "eventTime": "order_time",
        "heldBackBy": next(iter(substreams), None),
        "futureEvents": 0,
        "substreams": substreams,
    }
    return tidegate.QueryWatermarks({name: watermark})


def test_html_when_names_have_signs_of_html_then_they_are_text() -> None:
    html = keyed({'<b>&"': {"watermark": SECOND, "idle": False}}, name="<i>")._repr_html_()

    assert "<b>" not in html
    assert "<i>" not in html
    assert cells(html)[1][0] == "&lt;i&gt;"
    assert cells(html)[2][0] == "&lt;b&gt;&amp;&quot;"


def test_html_when_there_are_many_substreams_then_shows_the_slowest_and_counts_the_others() -> None:
    substreams = {
        f"p{n}": {"watermark": SECOND + timedelta(seconds=n), "idle": False} for n in range(30)
    }
    substreams["idle"] = {"watermark": SECOND - timedelta(days=1), "idle": True}
    substreams["silent"] = {"watermark": None, "idle": False}
    backwards = dict(reversed(substreams.items()))

    found = cells(keyed(backwards)._repr_html_())[2:]

    shown = [row[0] for row in found]
    assert shown == ["silent", *(f"p{n}" for n in range(19)), "and 12 more"]
    assert found[0][1] == "-"
    assert found[1][1] == "2026-01-01 00:00:55+00:00"


def test_html_when_there_are_as_many_substreams_as_are_shown_then_no_others_are_counted() -> None:
    substreams = {f"{n}": {"watermark": SECOND, "idle": n == 5} for n in range(20)}

    shown = [row[0] for row in cells(keyed(substreams)._repr_html_())[2:]]

    assert len(shown) == 20
    assert shown[-1] == "5"


def test_html_when_of_an_operator_then_has_what_it_evicted_and_dropped(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = OPERATORS

    found = cells(tidegate.watermarks(query)._repr_html_())

    assert found[0] == [
        *("name", "watermark", "idle", "held back by", "eviction watermark", "late rows"),
        "partly late",
    ]
    assert found[1] == ["join.left", str(LATER), "", "orders", str(SECOND), "3", "4"]
    assert found[2] == ["join.right", str(SECOND), "idle", "-", "-", "0", "0"]


def test_html_when_there_is_no_watermark_yet_then_says_so() -> None:
    assert cells(tidegate.QueryWatermarks()._repr_html_())[1] == ["no watermarks yet"]
