"""`tidegateName` and the hint `TIDEGATE_NAME`."""

from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed


def minutes(feed: Feed, size: int, name: str) -> DataFrame:
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "0 seconds")
    counted = keyed.groupBy(F.window("time", f"{size} minutes")).count()
    named = tidegate.tidegateName(counted, name)
    return named.select(F.date_format("window.start", "HH:mm"), F.lit(size), "count")


def test_names_when_operators_change_places_then_each_finds_its_state(feed: Feed) -> None:
    feed.add(("12:01:00", 0))
    first = minutes(feed, 5, "five").union(minutes(feed, 10, "ten"))
    assert feed.run(first) == []
    feed.add(("12:02:00", 0))
    feed.add(("12:31:00", 0))

    swapped = minutes(feed, 10, "ten").union(minutes(feed, 5, "five"))
    query, rows = feed.run_query(swapped)

    assert sorted(rows) == [("12:00", 5, 2), ("12:00", 10, 2)]
    operators = {n for n, o in tidegate.watermarks(query).items() if o["kind"] == "operator"}
    assert operators == {"five", "ten"}


def test_names_when_in_a_hint_then_are_of_the_statement_s_operator(feed: Feed) -> None:
    feed.add(("12:01:00", 0))
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "0 seconds")
    keyed.createOrReplaceTempView("named_events")
    statement = (
        "SELECT /*+ TIDEGATE_NAME('five') */ window_start, count(*) AS n FROM "
        "TUMBLE(TABLE(named_events), DESCRIPTOR(time), INTERVAL 5 MINUTES) "
        "GROUP BY window_start, window_end"
    )

    query, _ = feed.run_query(feed.spark.sql(statement))

    assert "five" in tidegate.watermarks(query)


def test_names_when_without_an_operator_then_are_refused_at_the_start(feed: Feed) -> None:
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "0 seconds")

    with pytest.raises(AnalysisException) as refused:
        feed.run(tidegate.tidegateName(keyed, "five"))

    assert refused.value.getCondition() == "TIDEGATE_OPERATOR_NAME_WITHOUT_OPERATOR"


@pytest.mark.parametrize(
    ("name", "error"), [("two words", AnalysisException), (5, TypeError), (None, TypeError)]
)
def test_names_when_they_are_no_words_then_are_refused(
    feed: Feed, name: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="name"):
        tidegate.tidegateName(feed.batch(), name)


def test_names_when_the_dataframe_is_none_then_are_refused() -> None:
    with pytest.raises(TypeError, match="df must be a pyspark"):
        tidegate.tidegateName("rows", "five")  # type: ignore[arg-type]
