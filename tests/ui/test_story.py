"""A partition that lags, one that is silent, a burst of late rows, and a restart: in sentences.

The page on monitoring tells this story. `SCREENSHOTS=docs/images python -m pytest tests/ui` makes
its pictures anew.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

from browsers import keep
from playwright.sync_api import Browser, expect
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from feeds import counts
from kafka.topics import Topics

TIMEOUT_SECONDS = 60
LATE = 200


def test_story_when_told_then_each_moment_has_its_sentences_and_late_rows_add_up(
    spark: SparkSession, topics: Topics, browser: Browser, tmp_path: Path
) -> None:
    topic = topics.create(partitions=3)
    late = tmp_path / "late"
    keyed = tidegate.withKeyedWatermark(
        topics.stream(topic),
        "time",
        "5 seconds",
        substream="partition",
        idleTimeout="10 seconds",
        name="orders",
        lateRows=str(late),
    )

    def start() -> StreamingQuery:
        writer = counts(keyed).writeStream.format("noop").queryName("story")
        return writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()

    def send(*rows: tuple[str, int]) -> None:
        topics.send(topic, rows)
        query.processAllAvailable()

    query = start()
    send(("12:00:10", 0), ("12:00:10", 1), ("12:00:10", 2))

    # The second partition lags, but has rows. As long as it has some it is not silent.
    send(("12:20:10", 0), ("12:02:10", 1), ("12:20:10", 2))
    assert_says(
        query,
        "`orders` is at 2026-01-01T12:02:05Z, .* behind the wall clock.",
        "`orders` waits for partition 1, which is 18 min behind the newest, since .*",
        "`aggregate` waits for partition 1 of `orders`, which is 18 min behind the newest.",
    )
    picture(browser, spark, query, "event-time-lagging")

    # It is silent for longer than the idle timeout, and time goes on without it.
    wait_until(lambda: is_idle(query, "1"))
    send(("12:30:10", 0), ("12:30:10", 2))
    assert_says(
        query,
        "`orders` is at 2026-01-01T12:30:05Z, .* behind the wall clock.",
        "1 of its 3 substreams is idle and left out: `1`.",
    )

    # It comes back with what it had before: a burst of rows for windows that are closed.
    send(("12:31:10", 0), ("12:31:10", 2), *[("12:02:20", 1)] * LATE)
    assert_says(
        query,
        f"`aggregate` has dropped {LATE} rows as late since the query was started.*",
        # The half is rounded up, but not above the highest.
        r"Half of them were late by at most (27|28) min 45 s, the latest by (27|28) min 45 s. "
        f"Most of them came from `1` {LATE}.",
        # The burst may come in two batches, and the first of them is told of.
        r"  At .*, \d+ rows of the substream 1 are below the watermark, as the substream was idle: "
        ".*",
    )
    assert late_rows(spark, late) == {"1": LATE}
    aggregate = tidegate.watermarks(query)["aggregate"]
    assert aggregate["kind"] == "operator"
    assert aggregate["lateRows"] == LATE
    picture(browser, spark, query, "event-time-late")

    # After a restart time goes on from the checkpoint, and late rows are counted anew.
    query.stop()
    query = start()
    send(("12:40:10", 0), ("12:40:10", 1), ("12:40:10", 2), ("12:03:00", 0))
    assert_says(
        query,
        "`orders` is at 2026-01-01T12:40:05Z, .* behind the wall clock.",
        "`aggregate` has dropped 1 row as late since the query was started.*",
    )
    assert late_rows(spark, late) == {"0": 1, "1": LATE}
    query.stop()
    assert tidegate.explainTime(query).startswith("The query `story` has ended.")


def assert_says(query: StreamingQuery, *sentences: str) -> None:
    """Fail if a pattern fits no line of the explanation."""
    text = tidegate.explainTime(query)
    print(text, end="\n\n")
    for sentence in sentences:
        assert any(re.fullmatch(sentence, line) for line in text.splitlines()), (sentence, text)


def is_idle(query: StreamingQuery, substream: str) -> bool:
    """Return whether a substream of the orders is left out."""
    orders = tidegate.watermarks(query)["orders"]
    assert orders["kind"] == "watermark"
    return orders["substreams"][substream]["idle"]


def wait_until(isTrue: Callable[[], bool]) -> None:
    """Wait for what the wall clock does."""
    until = time.monotonic() + TIMEOUT_SECONDS
    while not isTrue():
        assert time.monotonic() < until, "it did not become true"
        time.sleep(0.2)


def late_rows(spark: SparkSession, folder: Path) -> dict[str, int]:
    """Count the late rows of each partition."""
    rows: DataFrame = spark.read.parquet(str(folder)).groupBy("substream").count()
    return {row["substream"]: row["count"] for row in rows.collect()}


def picture(browser: Browser, spark: SparkSession, query: StreamingQuery, name: str) -> None:
    """Open the page, and keep what it looks like if a folder is named for that."""
    page = browser.new_context(viewport={"width": 1240, "height": 900}).new_page()
    page.goto(f"{spark.sparkContext.uiWebUrl}/EventTime/query/?run={query.runId}")
    expect(page.locator("#tg-chart .tg-own")).to_have_count(1)
    keep(page, name)
    page.context.close()
