"""Jobs with `withWatermark` that move to keyed watermarks, and back."""

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

import tidegate
from commands import command
from feeds import Feed, counts

REPLACE = "spark.tidegate.replaceWithWatermark"
ADOPT = "spark.tidegate.adoptCheckpoint"


@pytest.fixture(autouse=True)
def settings(feed: Feed) -> Iterator[None]:
    """Leave the session as it was."""
    yield
    for name in (REPLACE, ADOPT):
        feed.spark.conf.unset(name)


def job(feed: Feed) -> list[tuple[object, ...]]:
    """Run the job as it was written for Spark."""
    return feed.run(counts(feed.stream().withWatermark("time", "5 seconds")))


def add(feed: Feed, *times: str) -> None:
    for time in times:
        feed.add((time, 0))


def test_job_when_its_watermark_is_replaced_then_has_the_same_rows(feed: Feed) -> None:
    feed.spark.conf.set(REPLACE, "true")
    add(feed, "12:00:10", "12:01:00", "12:00:58", "12:02:10")

    query, rows = feed.run_query(counts(feed.stream().withWatermark("time", "5 seconds")))

    assert sorted(rows) == [("12:00", 2), ("12:01", 1)]
    assert tidegate.watermarks(query)["time"]["kind"] == "watermark"


def test_checkpoint_when_it_moves_there_and_back_then_no_window_is_lost(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    assert job(feed) == [("12:00", 1)]

    feed.spark.conf.set(REPLACE, "true")
    feed.spark.conf.set(ADOPT, "true")
    add(feed, "12:01:20", "12:02:10")
    assert job(feed) == [("12:01", 2)]

    feed.spark.conf.set(REPLACE, "false")
    released = tidegate.release(feed.checkpoint)
    assert released == datetime(2026, 1, 1, 12, 2, 5, tzinfo=timezone.utc)
    add(feed, "12:02:20", "12:03:10")
    assert job(feed) == [("12:02", 2)]


def test_checkpoint_when_nobody_asks_then_is_refused(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    assert job(feed) == [("12:00", 1)]
    feed.spark.conf.set(REPLACE, "true")

    with pytest.raises(AnalysisException) as refused:
        job(feed)

    assert refused.value.getCondition() == "TIDEGATE_CHECKPOINT_OF_SPARK"


def test_adopt_when_called_then_says_where_time_goes_on(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    assert job(feed) == [("12:00", 1)]
    keyed = counts(tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds"))

    adopted = tidegate.adopt(feed.checkpoint, keyed)

    assert adopted == datetime(2026, 1, 1, 12, 1, 5, tzinfo=timezone.utc)
    add(feed, "12:02:10")
    assert feed.run(keyed) == [("12:01", 1)]


def test_adopt_when_given_the_query_that_has_ended_then_takes_its_plan(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    ended, rows = feed.run_query(counts(feed.stream().withWatermark("time", "5 seconds")))
    assert rows == [("12:00", 1)]

    with pytest.raises(AnalysisException) as refused:
        tidegate.adopt(feed.checkpoint, ended)
    assert refused.value.getCondition() == "TIDEGATE_NOTHING_TO_ADOPT"
    feed.spark.conf.set(REPLACE, "true")
    adopted = tidegate.adopt(feed.checkpoint, ended)

    assert adopted == datetime(2026, 1, 1, 12, 1, 5, tzinfo=timezone.utc)
    add(feed, "12:02:10")
    assert job(feed) == [("12:01", 1)]


@pytest.mark.at_night
def test_command_when_given_a_checkpoint_then_the_next_start_adopts_it(feed: Feed) -> None:
    add(feed, "12:00:10", "12:01:10")
    assert job(feed) == [("12:00", 1)]

    done = command("adopt", feed.checkpoint)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == (
        f"The next start of the query with keyed watermarks adopts {feed.checkpoint}."
    )
    feed.spark.conf.set(REPLACE, "true")
    add(feed, "12:02:10")
    assert job(feed) == [("12:01", 1)]


@pytest.mark.at_night
def test_command_when_a_keyed_checkpoint_is_released_then_spark_goes_on(feed: Feed) -> None:
    feed.spark.conf.set(REPLACE, "true")
    add(feed, "12:00:10", "12:01:10")
    assert job(feed) == [("12:00", 1)]

    done = command("release", feed.checkpoint)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == (
        f"A query without Tidegate continues from {feed.checkpoint} at 2026-01-01T12:01:05+00:00."
    )
    feed.spark.conf.set(REPLACE, "false")
    add(feed, "12:02:10")
    assert job(feed) == [("12:01", 1)]


@pytest.mark.parametrize("name", ["adopt", "release"])
def test_command_when_there_is_no_checkpoint_then_says_so(name: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    done = command(name, str(empty))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip().splitlines()[-1] == (
        f"[TIDEGATE_NO_CHECKPOINT] {empty} is no checkpoint of a streaming query: it has no "
        "offsets. Give the folder that was the query's checkpointLocation. SQLSTATE: 42K03"
    )
    assert list(empty.iterdir()) == []
