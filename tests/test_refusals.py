"""What Tidegate refuses arrives as an AnalysisException with a class of its own and a sentence."""

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from refusals import check


@pytest.fixture
def stream(feed: Feed) -> DataFrame:
    """Return a stream with two time columns, and a document."""
    feed.add(("12:00:10", 0))
    document = F.parse_json(F.lit("{}"))
    return feed.stream().withColumns({"other": F.col("time"), "document": document})


COLUMNS = "columns of the stream: `id`, `time`, `partition`, `other`, `document`."
NO_DURATION = (
    "which is not a duration. Use an interval without months or years, in whole milliseconds, for "
    "example '5 seconds'."
)


@pytest.mark.parametrize(
    ("arguments", "condition", "sentence", "state"),
    [
        (
            {"eventTime": "nowhere"},
            "EVENT_TIME_NOT_FOUND",
            f"The event time column `nowhere` does not exist. Use one of the {COLUMNS}",
            "42703",
        ),
        (
            {"eventTime": "id"},
            "EVENT_TIME_NOT_TIMESTAMP",
            "The event time column `id` has the type BIGINT, but must be a TIMESTAMP or "
            "TIMESTAMP_NTZ. Convert it first, for example with to_timestamp or timestamp_millis.",
            "42K09",
        ),
        (
            {"substream": ["partition", "shard"]},
            "SUBSTREAM_NOT_FOUND",
            f"The substream column `shard` does not exist. Use one or more of the {COLUMNS}",
            "42703",
        ),
        (
            {"substream": "document"},
            "SUBSTREAM_TYPE",
            "The substream column `document` has the type VARIANT, whose values cannot be "
            "compared. Use a column of a simple type, such as STRING or INT.",
            "42K09",
        ),
        (
            {"lag": "5 parsecs"},
            "INVALID_DURATION",
            f"The argument `lag` is '5 parsecs', {NO_DURATION}",
            "22006",
        ),
        (
            {"idleTimeout": "1 month"},
            "INVALID_DURATION",
            f"The argument `idleTimeout` is '1 month', {NO_DURATION}",
            "22006",
        ),
        (
            {"idleBehind": "soon"},
            "INVALID_DURATION",
            f"The argument `idleBehind` is 'soon', {NO_DURATION}",
            "22006",
        ),
        (
            {"maxFutureSkew": "1 microsecond"},
            "INVALID_DURATION",
            f"The argument `maxFutureSkew` is '1 microsecond', {NO_DURATION}",
            "22006",
        ),
        (
            {"lag": "5s"},
            "DURATION_SPELLING",
            "The argument `lag` is '5s', which is not a duration. Did you mean '5 seconds'?",
            "22006",
        ),
        (
            {"idleTimeout": "10min"},
            "DURATION_SPELLING",
            "The argument `idleTimeout` is '10min', which is not a duration. Did you mean '10 "
            "minutes'?",
            "22006",
        ),
        (
            {"lag": None, "policy": tidegate.fixedLag("1h30")},
            "DURATION_SPELLING",
            "The argument `lag` is '1h30', which is not a duration. Did you mean '1 hour 30 "
            "minutes'?",
            "22006",
        ),
        (
            {"emission": tidegate.byMinStep("5")},
            "DURATION_SPELLING",
            "The argument `step` is '5', which is not a duration. Did you mean '5 seconds'?",
            "22006",
        ),
        (
            {"lag": "-5 seconds"},
            "DURATION_TOO_SMALL",
            "The argument `lag` is '-5 seconds', but must be at least 0 ms. Use a duration such as "
            "'5 seconds'.",
            "22023",
        ),
        (
            {"idleTimeout": "0 seconds"},
            "DURATION_TOO_SMALL",
            "The argument `idleTimeout` is '0 seconds', but must be at least 1 ms. Use a duration "
            "such as '5 seconds'.",
            "22023",
        ),
        (
            {"emission": tidegate.byFrame("0 seconds")},
            "DURATION_TOO_SMALL",
            "The argument `size` is '0 seconds', but must be at least 1 ms. Use a duration such as "
            "'5 seconds'.",
            "22023",
        ),
        (
            {"lag": None, "policy": tidegate.Policy("eventually", ("5 seconds",))},
            "UNKNOWN_POLICY",
            "There is no watermark policy with the name and number of arguments of "
            "eventually('5 seconds'). Use one of `fixedLag`, `limitingLagAndDelay`, "
            "`limitingLagAndLull`, `limitingTimestampAndWallClockLag`.",
            "42704",
        ),
        (
            {"emission": tidegate.Emission("byFrame", ())},
            "UNKNOWN_POLICY",
            "There is no emission with the name and number of arguments of byFrame(). Use one of "
            "`byFrame`, `byMinStep`.",
            "42704",
        ),
        (
            {"name": " "},
            "EMPTY_NAME",
            "The argument `name` is empty. Leave it out to use the event time column as the name, "
            "or pass a text such as 'orders'.",
            "42602",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isupper() else "",
)
def test_argument_when_not_usable_then_the_sentence_names_it(
    stream: DataFrame, arguments: dict[str, object], condition: str, sentence: str, state: str
) -> None:
    usable: dict[str, object] = {"eventTime": "time", "lag": "5 seconds"}

    with pytest.raises(AnalysisException) as error:
        stream.transform(tidegate.withKeyedWatermark, **(usable | arguments))

    check(error.value, condition, sentence, state)


def test_argument_when_not_usable_then_is_refused_in_batch_too(feed: Feed) -> None:
    feed.add(("12:00:10", 0))

    with pytest.raises(AnalysisException) as error:
        tidegate.withKeyedWatermark(feed.batch(), "time", "-5 seconds")

    assert error.value.getCondition() == "TIDEGATE_DURATION_TOO_SMALL"


def test_key_when_on_the_stream_already_then_the_sentence_names_the_earlier_watermark(
    stream: DataFrame,
) -> None:
    once = tidegate.withKeyedWatermark(stream, "time", "5 seconds", 7, name="orders")

    with pytest.raises(AnalysisException) as error:
        tidegate.withKeyedWatermark(once, "other", "5 seconds", 7)

    check(
        error.value,
        "KEY_USED_TWICE",
        "The watermark key 7 for the column `other` is already used on this stream by the "
        "watermark `orders`. Give the second watermark a key of its own.",
        "42713",
    )


def test_column_when_it_has_a_key_already_then_the_sentence_names_both(stream: DataFrame) -> None:
    once = tidegate.withKeyedWatermark(stream, "time", "5 seconds", 1)

    with pytest.raises(AnalysisException) as error:
        tidegate.withKeyedWatermark(once, "time", "5 seconds", 2)

    check(
        error.value,
        "COLUMN_KEYED_TWICE",
        "The column `time` already carries the watermark key 1. Give each keyed watermark a column "
        "of its own.",
        "42713",
    )


def test_sparks_watermark_when_under_the_same_query_then_the_sentence_names_both(
    stream: DataFrame,
) -> None:
    keyed = tidegate.withKeyedWatermark(stream, "time", "5 seconds", name="orders")

    with pytest.raises(AnalysisException) as error:
        _ = keyed.union(stream.withWatermark("other", "5 seconds")).schema

    check(
        error.value,
        "MIXED_WATERMARKS",
        "The query has the keyed watermark `orders` and Spark's withWatermark on `other`, whose "
        "times do not mix. Use withKeyedWatermark for both.",
        "42K0E",
    )


def test_operator_when_it_sees_two_keyed_columns_then_the_sentence_names_them(
    stream: DataFrame, start: Callable[[DataFrame], None]
) -> None:
    once = tidegate.withKeyedWatermark(stream, "time", "5 seconds", 1)
    twice = tidegate.withKeyedWatermark(once, "other", "5 seconds", 2)

    with pytest.raises(AnalysisException) as error:
        start(twice.groupBy("time", "other").count())

    check(
        error.value,
        "AMBIGUOUS_EVENT_TIME",
        "The operator `aggregate` sees more than one column with a watermark key: `time`, `other`. "
        "Leave only one of them in its keys or condition, or drop the others with select before "
        "it.",
        "42702",
    )


def test_union_when_a_branch_lacks_the_key_then_the_sentence_says_which(
    stream: DataFrame, start: Callable[[DataFrame], None]
) -> None:
    keyed = tidegate.withKeyedWatermark(stream, "time", "5 seconds", 4)

    with pytest.raises(AnalysisException) as error:
        start(keyed.union(stream).groupBy(F.window("time", "1 minute")).count())

    check(
        error.value,
        "KEY_NOT_AVAILABLE",
        "The operator `aggregate` runs on the column `window` with the watermark key 4, but that "
        "key does not reach it: branch 2 of the union, with the columns id, time, partition, "
        "other, document, has no watermark with this key; call withKeyedWatermark with the same "
        "key on it.",
        "42K0E",
    )
