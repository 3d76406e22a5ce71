"""`asOfJoin` on Spark Connect."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed


def test_as_of_join_when_the_right_watermark_passes_then_each_row_leaves_once(
    feed: RemoteFeed,
) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 1), ("12:00:05", 1))
    feed.add(("12:01:00", 1))
    left = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", name="rows")
    right = feed.stream().withColumnRenamed("time", "since").where("second(since) % 5 = 0")
    versions = right.withKeyedWatermark("since", "5 seconds", name="versions")

    joined = left.asOfJoin(versions, "partition", rightTime="since", how="left")

    texts = [F.date_format(name, "ss").alias(name) for name in ("time", "since")]
    assert sorted(feed.run(joined.where("second(time) > 0").select(*texts))) == [
        ("03", None),
        ("05", "05"),
        ("07", "05"),
    ]


def test_as_of_join_when_refused_then_the_sentence_is_that_of_classic_pyspark(
    feed: RemoteFeed,
) -> None:
    left = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    with pytest.raises(AnalysisException) as refused:
        left.asOfJoin(left, "partition", leftTime="at", tolerance="1 hour").schema

    assert str(refused.value).startswith(
        "[TIDEGATE_AS_OF_TIME_NOT_FOUND] The argument `leftTime` names the time column `at`, which "
        "does not exist on the left side of the as-of join. Use one of its columns: "
    )
