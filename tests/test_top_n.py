"""`topN` and `ROW_NUMBER`, as a user calls them."""

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed


def in_windows(rows: DataFrame) -> DataFrame:
    keyed = tidegate.withKeyedWatermark(rows, "time", "5 seconds")
    return keyed.withColumn("window", F.window("time", "10 seconds"))


def add_all(feed: Feed) -> None:
    feed.add(("12:00:07", 1), ("12:00:03", 2), ("12:00:05", 1), ("12:00:12", 2))
    feed.add(("12:01:00", 1))


def shown(rows: DataFrame) -> DataFrame:
    return rows.select(F.date_format("time", "HH:mm:ss"), "place")


def test_top_n_when_a_window_closes_then_its_first_rows_leave(feed: Feed) -> None:
    add_all(feed)

    best = in_windows(feed.stream()).topN(2, "window", F.desc("time"), rank="place")

    wanted = [("12:00:05", 2), ("12:00:07", 1), ("12:00:12", 1)]
    assert sorted(feed.run(shown(best))) == wanted


def test_top_n_when_of_a_table_then_is_sparks(feed: Feed) -> None:
    add_all(feed)

    best = tidegate.topN(in_windows(feed.batch()), 1, ["window", "partition"], "time", "place")

    rows = [("12:00:03", 1), ("12:00:05", 1), ("12:00:12", 1), ("12:01:00", 1)]
    assert sorted(tuple(row) for row in shown(best).collect()) == rows


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"n": 0}, ValueError, "n must be an int of 1 or more, found 0."),
        ({"partitionBy": []}, ValueError, "partitionBy must have at least one column, found none."),
        ({"orderBy": []}, ValueError, "orderBy must have at least one column, found none."),
        (
            {"orderBy": [3]},
            TypeError,
            "orderBy must be a Column, the name of one, or a sequence of these, found int: 3.",
        ),
        (
            {"rank": "ID"},
            ValueError,
            "rank must be the name of a new column, found 'ID', which `df` has.",
        ),
    ],
)
def test_top_n_when_an_argument_cannot_be_then_says_so(
    feed: Feed, arguments: dict[str, object], error: type[Exception], sentence: str
) -> None:
    feed.add(("12:00:07", 1))
    known = {"n": 1, "partitionBy": "window", "orderBy": "time"} | arguments

    with pytest.raises(error) as refused:
        tidegate.topN(in_windows(feed.stream()), **known)  # type: ignore[arg-type]

    assert str(refused.value) == sentence
