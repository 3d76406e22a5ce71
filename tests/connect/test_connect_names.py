"""`tidegateName` on Spark Connect."""

import json

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import tidegate
from connect.remote_feed import RemoteFeed


def test_names_when_given_then_are_in_the_clock(feed: RemoteFeed) -> None:
    feed.add(("12:01:00", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "0 seconds")
    counted = keyed.groupBy(F.window("time", "5 minutes")).count()

    query, _ = feed.run_query(tidegate.tidegateName(counted, "five").select("count"))

    assert query.lastProgress is not None
    offsets = {s["description"]: s["endOffset"] for s in query.lastProgress["sources"]}
    assert json.loads(offsets["tidegate_clock"])["places"] == {
        "five": {"default": "aggregate", "state": 1000}
    }


def test_names_when_they_are_no_words_then_are_refused(feed: RemoteFeed) -> None:
    feed.add(("12:01:00", 0))

    with pytest.raises(AnalysisException) as refused:
        # Spark Connect analyzes a DataFrame only when it has to answer.
        _ = tidegate.tidegateName(feed.stream(), "two words").columns

    assert refused.value.getCondition() == "TIDEGATE_OPERATOR_NAME_NO_WORD"
