"""What `progress`, `progressOf` and `explainTime` make of the answers of the JVM."""

import json
import sys
from datetime import datetime, timezone
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row
from pyspark.sql.connect.streaming.query import StreamingQuery as ConnectQuery
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    StreamingQueryListener,
    StreamingQueryProgress,
)
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from unit.fakes import FakeConnectSession, FakeFacade

SECOND = datetime(2026, 1, 1, 0, 0, 55, tzinfo=timezone.utc)
SECOND_MS = 1767225655000

WATERMARK = {
    "key": 3,
    "watermark": SECOND_MS,
    "lagMs": 5000,
    "idle": False,
    "heldBackBy": "b",
    "heldBackSince": SECOND_MS,
    "heldBackMs": 10000,
    "activeSubstreams": 2,
    "idleSubstreams": 1,
    "unreadSubstreams": 0,
    "movedAt": SECOND_MS,
    "futureEvents": 1,
    "futureEventsTotal": 4,
}

OPERATOR = {
    "key": 3,
    "watermark": SECOND_MS,
    "idle": False,
    "heldBackBy": "orders",
    "evictionWatermark": None,
    "evictionHeldBackBy": None,
    "lateRows": 1,
    "lateRowsTotal": 3,
    "partlyLateRows": 4,
    "partlyLateRowsTotal": 5,
    "partlyLateWindows": 6,
    "partlyLateWindowsTotal": 7,
    "stateRows": 5,
    "stateBytes": 640,
    "nextWindowEnd": SECOND_MS,
}

BATCH = {
    "batchId": 7,
    "wallClock": SECOND_MS,
    "batchTime": SECOND_MS,
    "inputRows": 12,
    "watermarks": {"orders": WATERMARK},
    "operators": {"aggregate": OPERATOR},
}

EXPECTED = {
    "batchId": 7,
    "wallClock": SECOND,
    "batchTime": SECOND,
    "inputRows": 12,
    "watermarks": {
        "orders": WATERMARK | {"watermark": SECOND, "heldBackSince": SECOND, "movedAt": SECOND}
    },
    "operators": {"aggregate": OPERATOR | {"watermark": SECOND, "nextWindowEnd": SECOND}},
}


def row(batch: dict[str, Any], kind: str, name: str, entry: dict[str, Any]) -> Row:
    """Return a row of the statement on Spark Connect: what a kind lacks is NULL."""
    names = dict.fromkeys([*WATERMARK, *OPERATOR])
    head = {key: batch[key] for key in ("batchId", "wallClock", "batchTime", "inputRows")}
    return Row(**(head | {"name": name, "kind": kind} | names | entry))


def spark_progress(*sources: dict[str, Any]) -> StreamingQueryProgress:
    """Return a progress as Spark tells it."""
    offsets = {"startOffset": None, "endOffset": None, "latestOffset": None}
    rates = {"numInputRows": 0, "inputRowsPerSecond": 0.0, "processedRowsPerSecond": 0.0}
    return StreamingQueryProgress.fromJson(
        {
            "id": "00000000-0000-0000-0000-000000000001",
            "runId": "00000000-0000-0000-0000-000000000002",
            "name": "hourly",
            "timestamp": "2026-01-01T00:00:55.000Z",
            "batchId": 7,
            "batchDuration": 1,
            "durationMs": {},
            "eventTime": {},
            "stateOperators": [],
            "sources": [offsets | rates | source for source in sources],
            "sink": {"description": "noop", "numOutputRows": 0, "metrics": {}},
            "numInputRows": 0,
            "inputRowsPerSecond": 0.0,
            "processedRowsPerSecond": 0.0,
            "observedMetrics": {},
        }
    )


FILES = {"description": "FileStreamSource", "metrics": {}}
CLOCK = {"description": "tidegate_clock", "metrics": {"time": json.dumps(BATCH)}}


def test_progress_when_asked_then_its_times_are_datetimes_in_utc(
    query: StreamingQuery, facade: FakeFacade
) -> None:
    facade.json = json.dumps([BATCH])

    assert tidegate.progress(query, last=10) == [EXPECTED]
    assert facade.calls == [("a Java query", 10)]


@pytest.mark.parametrize(("last", "asked"), [(None, 2**31 - 1), (2**40, 2**31 - 1), (1, 1)])
def test_number_when_missing_or_too_large_for_java_then_all_are_asked_for(
    query: StreamingQuery, facade: FakeFacade, last: int | None, asked: int
) -> None:
    facade.json = "[]"

    assert tidegate.progress(query, last) == []
    assert facade.calls == [("a Java query", asked)]


@pytest.mark.parametrize(
    ("last", "kind", "sentence"),
    [
        (0, ValueError, "last must be at least 1, found 0."),
        ("3", TypeError, "last must be an int or None, found str: '3'."),
        (True, TypeError, "last must be an int or None, found bool: True."),
    ],
)
def test_number_when_it_is_none_then_the_sentence_says_what_was_found(
    query: StreamingQuery, facade: FakeFacade, last: Any, kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as error:
        tidegate.progress(query, last)

    assert str(error.value) == sentence
    assert facade.calls == []


def connect_query(session: FakeConnectSession) -> Any:
    """Return a query of Spark Connect without a server."""
    session_of_any: Any = session
    return ConnectQuery(session_of_any, queryId="an id", runId="a run", name="orders")


def test_rows_when_of_spark_connect_then_the_batches_are_those_of_the_facade() -> None:
    session = FakeConnectSession()
    later = BATCH | {"batchId": 8}
    session.rows = [
        row(batch, kind, name, entry)
        for batch in (BATCH, later)
        for kind, name, entry in (
            ("watermark", "orders", WATERMARK),
            ("operator", "aggregate", OPERATOR),
        )
    ]

    assert tidegate.progress(connect_query(session), 2) == [EXPECTED, EXPECTED | {"batchId": 8}]
    ((statement, values, _),) = session.calls
    assert statement.endswith("FROM tidegate_progress(:query, :last)\n")
    assert values == {"query": "a run", "last": 2}


def test_server_when_without_the_extension_then_the_error_says_so() -> None:
    session = FakeConnectSession()
    for name, ask in (
        ("tidegate_progress", tidegate.progress),
        ("tidegate_explain_time", tidegate.explainTime),
    ):
        session.failure = AnalysisException(
            "no",
            errorClass="UNRESOLVABLE_TABLE_VALUED_FUNCTION",
            messageParameters={"name": f"`{name}`"},
        )
        with pytest.raises(tidegate.MissingExtensionError):
            ask(connect_query(session))


def test_progress_of_spark_when_of_a_batch_then_has_what_the_batch_did_to_time() -> None:
    assert tidegate.progressOf(spark_progress(FILES, CLOCK)) == EXPECTED


@pytest.mark.parametrize(
    "sources",
    [(), (FILES,), (CLOCK | {"metrics": {}},), (CLOCK | {"metrics": {"lateRows.aggregate": "1"}},)],
)
def test_progress_of_spark_when_of_another_query_or_trigger_then_there_is_none(
    sources: tuple[dict[str, Any], ...],
) -> None:
    assert tidegate.progressOf(spark_progress(*sources)) is None


def test_progress_of_spark_when_something_else_then_the_sentence_says_what_was_found() -> None:
    with pytest.raises(TypeError) as error:
        tidegate.progressOf(7)  # type: ignore[arg-type]

    assert str(error.value) == (
        "progress must be a pyspark.sql.streaming.StreamingQueryProgress, found int: 7."
    )


def test_listener_when_told_of_batches_then_only_those_with_keyed_watermarks_arrive() -> None:
    heard: list[tuple[str | None, Any]] = []

    class Listener(tidegate.ProgressListener):
        def onBatch(self, progress: StreamingQueryProgress, batch: tidegate.BatchProgress) -> None:
            heard.append((progress.name, batch))

    listener = Listener()
    assert isinstance(listener, StreamingQueryListener)
    for sources in ((FILES,), (CLOCK,)):
        listener.onQueryProgress(QueryProgressEvent(spark_progress(*sources)))

    assert heard == [("hourly", EXPECTED)]


def test_explanation_when_asked_then_it_is_printed_and_returned(
    query: StreamingQuery, facade: FakeFacade, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "The query `hourly` runs.\n\n`orders` is at 12:00."

    assert tidegate.explainTime(query) == text
    assert capsys.readouterr().out == text + "\n"


def test_explanation_when_asked_in_a_shell_then_the_shell_shows_it_alone(
    query: StreamingQuery,
    facade: FakeFacade,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)

    sys.displayhook(tidegate.explainTime(query))
    assert capsys.readouterr().out == "The query `hourly` runs.\n\n`orders` is at 12:00.\n"


def test_explanation_when_in_a_notebook_then_has_paragraphs_and_names_are_escaped() -> None:
    text = "`a<b>` waits for b & c.\n  Its rows are old.\n\n`aggregate` waits."

    assert tidegate.TimeExplanation(text)._repr_html_() == (
        '<div class="tidegate-time"><p><code>a&lt;b&gt;</code> waits for b &amp; c.<br>  Its rows '
        "are old.</p><p><code>aggregate</code> waits.</p></div>"
    )


def test_explanation_when_of_spark_connect_then_its_lines_are_put_together() -> None:
    session = FakeConnectSession()
    session.rows = [Row(sentence="a"), Row(sentence=""), Row(sentence="b")]

    assert tidegate.explainTime(connect_query(session)) == "a\n\nb"
    ((statement, values, _),) = session.calls
    assert statement == "SELECT sentence FROM tidegate_explain_time(:query) ORDER BY line"
    assert values == {"query": "a run"}


def test_explanation_when_of_something_else_then_the_sentence_says_what_was_found(
    facade: FakeFacade,
) -> None:
    with pytest.raises(TypeError) as error:
        tidegate.explainTime(7)  # type: ignore[arg-type]

    assert str(error.value) == (
        "query must be a pyspark.sql.streaming.StreamingQuery, found int: 7."
    )
