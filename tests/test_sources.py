"""Sources that have no partitions: what their substreams are, and that time works on each."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import tidegate
from feeds import SCHEMA, Feed, counts
from statuses import watermark_of

LAGGING = {
    "a": ["12:00:10", "12:01:10", "12:02:10", "12:03:10"],
    "b": ["11:50:10", "11:51:10", "11:52:10", "11:53:10"],
}
"""By shop, the time of day of the row of each of its files: shop b runs ten minutes behind."""

ALL = [
    *[("11:50", 1), ("11:51", 1), ("11:52", 1), ("11:53", 1)],
    *[("12:00", 1), ("12:01", 1), ("12:02", 1), ("12:03", 1)],
]


def per_second(rows: DataFrame) -> DataFrame:
    counted = rows.groupBy(F.window("timestamp", "1 second")).count()
    return counted.select(F.date_format("window.start", "mm:ss"), "count")


def test_rate_when_it_is_one_substream_then_windows_close(spark: SparkSession, feed: Feed) -> None:
    rates = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    keyed = tidegate.withKeyedWatermark(rates, "timestamp", "0 seconds")

    with feed.running(per_second(keyed)) as (query, emitted):
        counted = sorted(emitted.next()[1] for _ in range(3))
        substreams = watermark_of(query, "timestamp")["substreams"]

    # The first second is not a whole one.
    assert counted[1:] == [100, 100]
    assert list(substreams) == ["*"]


def test_rate_micro_batch_when_stopped_in_the_middle_then_no_row_is_lost(
    spark: SparkSession, feed: Feed
) -> None:
    ticks = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", 10)
        .option("startTimestamp", 1_767_225_600_000)
        .option("advanceMillisPerBatch", 250)
        .load()
    )
    result = per_second(tidegate.withKeyedWatermark(ticks, "timestamp", "0 seconds"))

    with feed.running(result) as (_, emitted):
        first = [emitted.next() for _ in range(3)]
    seen = first + emitted.all()
    with feed.running(result) as (_, emitted):
        seen += [emitted.next() for _ in range(3)]

    assert sorted(set(seen)) == [(f"00:{n:02}", 40) for n in range(len(set(seen)))]


@contextmanager
def server(lines: list[str]) -> Iterator[int]:
    """Serve lines to the first who connects, on the port that is given, until the end."""
    ended = Event()
    with socket.create_server(("localhost", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall("".join(f"{line}\n" for line in lines).encode())
                ended.wait(120)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            ended.set()


def test_socket_when_a_column_tells_the_shops_apart_then_the_slowest_counts(
    spark: SparkSession, feed: Feed
) -> None:
    pairs = zip(LAGGING["a"], LAGGING["b"], strict=True)
    lines = [line for a, b in pairs for line in (f"a {a}", f"b {b}")]
    with server(lines) as port:
        raw = spark.readStream.format("socket").option("host", "localhost")
        words = F.split("value", " ")
        rows = (
            raw.option("port", port)
            .load()
            .select(
                words[0].alias("shop"),
                F.to_timestamp(F.concat(F.lit("2026-01-01 "), words[1])).alias("time"),
            )
        )
        keyed = tidegate.withKeyedWatermark(rows, "time", "0 seconds", substream="shop")
        with feed.running(counts(keyed)) as (query, emitted):
            seen = [emitted.next() for _ in range(3)]
            substreams = watermark_of(query, "time")["substreams"]

    # Time is where shop b is: after 11:53:10.
    assert sorted(seen) == ALL[:3]
    assert set(substreams) == {"a", "b"}


def write(folder: Path, number: int, time: str) -> None:
    """Add a file of one row; files are read in the order of their numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:04}.json"
    path.write_text(json.dumps({"id": number, "time": f"2026-01-01T{time}Z", "partition": 0}))
    os.utime(path, (1_767_225_600 + number, 1_767_225_600 + number))


def by_column(files: DataFrame) -> DataFrame:
    """Take the folder's name, which Spark makes a column of."""
    return files


def by_path(files: DataFrame) -> DataFrame:
    """Take the folder from the path of the file."""
    return named_by(files, F.col("_metadata.file_path"))


def by_input_file_name(files: DataFrame) -> DataFrame:
    """Take the folder from the function for the path."""
    return named_by(files, F.input_file_name())


def named_by(files: DataFrame, path: Column) -> DataFrame:
    return files.withColumn("shop", F.element_at(F.split(path, "[/=]"), -2))


@pytest.mark.parametrize("shop", [by_column, by_path, by_input_file_name])
def test_files_when_folders_lag_behind_each_other_then_no_row_is_lost(
    feed: Feed, shop: Callable[[DataFrame], DataFrame]
) -> None:
    stream = feed.spark.readStream.schema(f"{SCHEMA}, shop string")
    files = stream.option("maxFilesPerTrigger", 2).json(str(feed.folder))
    keyed = tidegate.withKeyedWatermark(
        shop(files), "time", "0 seconds", substream="shop", name="shops"
    )
    seen = []
    # Two files at a time, each time with a new start.
    for n, (a, b) in enumerate(zip(LAGGING["a"], LAGGING["b"], strict=True)):
        write(feed.folder / "shop=a", 2 * n, a)
        write(feed.folder / "shop=b", 2 * n + 1, b)
        query, rows = feed.run_query(counts(keyed))
        seen += rows
    assert set(watermark_of(query, "shops")["substreams"]) == {"a", "b"}
    for shops in "ab":
        write(feed.folder / f"shop={shops}", 10, "13:30:00")
    seen += feed.run(counts(keyed))

    assert sorted(seen) == ALL


def test_files_when_each_is_a_substream_then_they_hold_time_back_until_they_are_idle(
    feed: Feed,
) -> None:
    feed.add(("12:00:10", 0), ("12:05:10", 0))
    feed.add(("12:10:10", 0))
    stream = feed.stream().withColumn("file", F.col("_metadata.file_path"))
    keyed = tidegate.withKeyedWatermark(
        stream, "time", "0 seconds", substream="file", idleTimeout="1 millisecond"
    )

    with feed.running(counts(keyed)) as (query, emitted):
        seen = [emitted.next(), emitted.next()]
        substreams = watermark_of(query, "time")["substreams"]

    assert sorted(seen) == [("12:00", 1), ("12:05", 1)]
    assert sorted(name.split("\\/")[-1] for name in substreams) == ["0000.json", "0001.json"]
