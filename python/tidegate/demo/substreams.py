"""The substreams' own times: the highest event time of each, batch by batch."""

from collections import defaultdict

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tidegate.demo.feed import Feed

Series = dict[int, int]
"""A time in epoch ms for each batch."""


def own_times(spark: SparkSession, feed: Feed) -> dict[str, Series]:
    """Return how far each substream is after each batch of the stream.

    A batch without rows of a substream has no entry in its series. The files are put into batches
    as the stream does: in the order of their modification times.
    """
    rows = feed.without_markers(feed.batch(spark))
    name = F.concat_ws("/", *(F.col(column).cast("string") for column in feed.substream))
    tops = (
        rows.groupBy(
            F.col("_metadata.file_modification_time").alias("modified"),
            F.col("_metadata.file_path").alias("file"),
            name.alias("substream"),
        )
        .agg(F.max(F.unix_millis(feed.event_time)).alias("top"))
        .where("top is not null")
        .orderBy("modified", "file")
        .collect()
    )
    files = {file: number for number, file in enumerate(dict.fromkeys(row["file"] for row in tops))}
    per_batch = feed.per_batch(rows)
    series: defaultdict[str, Series] = defaultdict(dict)
    for row in tops:
        own = series[row["substream"]]
        before = max(own.values(), default=row["top"])
        own[files[row["file"]] // per_batch] = max(before, row["top"])
    return dict(sorted(series.items()))
