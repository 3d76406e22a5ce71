"""Snapshots: exported, inspected, verified and started, in Python."""

import json
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from feeds import Feed, counts


def keyed(feed: Feed, lag: str = "5 seconds") -> DataFrame:
    stream = tidegate.withKeyedWatermark(
        feed.stream(), "time", lag, substream="partition", idleTimeout=None
    )
    return counts(stream)


def started(feed: Feed, checkpoint: str) -> StreamingQuery:
    writer = keyed(feed).writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.start()
    query.processAllAvailable()
    return query


def add(feed: Feed, *times: str) -> None:
    for time in times:
        feed.add((time, 0))


def test_fork_when_it_runs_beside_the_original_then_both_have_the_same_rows(
    feed: Feed, tmp_path: Path
) -> None:
    snapshot, fork = str(tmp_path / "snapshot"), str(tmp_path / "fork")
    add(feed, "12:00:10", "12:01:10")
    assert feed.run(keyed(feed)) == [("12:00", 1)]
    seen: list[tuple[int, int]] = []

    info = tidegate.exportSnapshot(
        feed.checkpoint, snapshot, progress=lambda *bytes_: seen.append(bytes_)
    )
    add(feed, "12:01:20", "12:02:10")
    original = feed.run(keyed(feed))
    new_id = tidegate.startSnapshot(snapshot, fork)
    feed.checkpoint = fork

    assert feed.run(keyed(feed)) == original == [("12:01", 2)]
    assert tidegate.verifySnapshot(snapshot) == info
    assert seen[-1][0] >= info.bytes
    assert new_id in Path(fork, "metadata").read_text()


def test_running_query_when_exported_then_goes_on(feed: Feed, tmp_path: Path) -> None:
    add(feed, "12:00:10", "12:01:10")
    query = started(feed, feed.checkpoint)

    first = tidegate.exportSnapshot(query, str(tmp_path / "first"))
    assert query.isActive
    last = tidegate.cancelAndExportSnapshot(query, str(tmp_path / "last"))

    assert not query.isActive
    assert [info.path for info in tidegate.snapshots(str(tmp_path))] == [
        f"file:{tmp_path}/first",
        f"file:{tmp_path}/last",
    ]
    assert tidegate.snapshots(str(tmp_path), keep=1)[0].batch == last.batch == first.batch
    with pytest.raises(AnalysisException) as refused:
        tidegate.exportSnapshot(query, str(tmp_path / "again"))
    assert refused.value.getCondition() == "TIDEGATE_SNAPSHOT_QUERY_NOT_RUNNING"
    with pytest.raises(ValueError) as has_output:
        tidegate.exportSnapshot(query, str(tmp_path / "again"), output=str(tmp_path / "output"))
    assert str(has_output.value) == (
        "output is for the export of a checkpoint; of a running query the folder is known."
    )


@pytest.mark.usefixtures("rhythm_of_spark")
def test_checkpoint_when_inspected_then_shows_its_stages(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    feed.run(keyed(feed))

    found = tidegate.inspectSnapshot(feed.checkpoint)

    stages = {stage.kind: stage for stage in found.stages}
    assert stages["operator"].rows == 1
    assert (stages["watermark"].stage, stages["substream"].of) == ("time", "time")
    assert stages["watermark"].watermark == stages["substream"].watermark
    assert json.loads(found.json)["batch"] == found.batch
    assert [row.rows for row in found.toDF().where("kind = 'operator'").collect()] == [1]
    assert "aggregate" in str(found)
    uncounted = tidegate.inspectSnapshot(feed.checkpoint, countRows=False)
    assert [s.rows for s in uncounted.stages if s.kind == "operator"] == [None]


def test_changed_query_when_checked_then_has_the_words_of_a_start(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    feed.run(keyed(feed))

    same = tidegate.checkCompatibility(feed.checkpoint, keyed(feed))
    slower = tidegate.checkCompatibility(feed.checkpoint, keyed(feed, "9 seconds"))
    distinct = tidegate.withKeyedWatermark(
        feed.stream(), "time", "5 seconds", substream="partition"
    )
    other = tidegate.checkCompatibility(feed.checkpoint, distinct.dropDuplicates(["time"]))

    assert same.isCompatible
    assert [(s.kind, s.stage, s.verdict) for s in same.stages] == [
        ("query", "query", "goes on"),
        ("watermark", "time", "goes on"),
        ("operator", "aggregate", "goes on"),
    ]
    assert "the query now has fixedLag(9000 ms)" in str(slower)
    assert not other.isCompatible
    # A start without rows plans nothing, and notices nothing.
    add(feed, "12:02:10")
    with pytest.raises(Exception) as refused:
        feed.run(distinct.dropDuplicates(["time"]))
    assert other.stages[0].reason.split("]")[0] in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"path": 1},
            TypeError,
            "path must be the folder of a new snapshot (a str), found int: 1.",
        ),
        (
            {"query": 1},
            TypeError,
            "query must be a pyspark.sql.streaming.StreamingQuery, found int",
        ),
        ({"output": 1}, TypeError, "output must be the folder of a sink of files (a str)"),
    ],
)
def test_export_when_an_argument_is_wrong_then_names_it(
    feed: Feed, arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    wanted: dict[str, object] = {"query": feed.checkpoint, "path": "nowhere", **arguments}
    with pytest.raises(error) as refused:
        tidegate.exportSnapshot(**wanted)  # type: ignore[arg-type]
    assert str(refused.value).startswith(message)


def test_snapshots_when_keep_is_no_number_then_says_so() -> None:
    with pytest.raises(TypeError) as refused:
        tidegate.snapshots("folder", keep="2")  # type: ignore[arg-type]
    assert str(refused.value) == (
        "keep must be a number of snapshots (an int) or None, found str: '2'."
    )
