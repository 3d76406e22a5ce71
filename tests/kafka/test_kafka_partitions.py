"""The partitions of a topic as substreams, read from a broker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame

import tidegate
from feeds import counts
from kafka.topics import Topics


def minutes(hour: int, first: int) -> Iterator[str]:
    """Give a time in each of ten minutes."""
    for minute in range(first, first + 10):
        yield f"{hour}:{minute:02}:10"


def test_topic_when_a_partition_is_behind_then_loses_no_rows(
    topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=3)
    topics.send(topic, [(time, 0) for time in minutes(12, 10)])
    topics.send(topic, [(time, 1) for time in minutes(12, 0)])
    # The third has no rows; the last ones end the windows.
    expected = sorted(tuple(row) for row in counts(topics.batch(topic)).collect())
    topics.send(topic, [("14:00:00", 0), ("14:00:00", 1)])

    keyed = tidegate.withKeyedWatermark(
        topics.stream(topic, maxOffsetsPerTrigger=4),
        "time",
        "5 seconds",
        substream=["topic", "partition"],
    )

    assert sorted(run(counts(keyed), tmp_path)) == expected


def test_ingestion_when_the_times_are_of_producers_then_the_topic_is_refused(
    topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=1)
    ingested = tidegate.withIngestionWatermark(
        topics.stream(topic), "time", "1 minute", substream=["topic", "partition"]
    )
    refused = rf"TIDEGATE_NOT_APPEND_TIME.*`{topic}` have timestamps of the type CreateTime"
    with pytest.raises(StreamingQueryException, match=refused):
        run(counts(ingested), tmp_path)


def run(result: DataFrame, folder: Path) -> list[tuple[Any, ...]]:
    """Read what is there, and return the rows that come out."""
    rows: list[tuple[Any, ...]] = []

    def collect(batch: DataFrame, _: int) -> None:
        rows.extend(tuple(row) for row in batch.collect())

    query = (
        result.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .foreachBatch(collect)
        .start()
    )
    assert query.awaitTermination(120), "the query did not end"
    return rows
