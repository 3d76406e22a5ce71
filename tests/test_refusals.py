"""What Tidegate refuses arrives as an AnalysisException with a class of its own and a sentence."""

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from refusals import check
from refused import (  # noqa: F401
    refused_stream,
    test_aggregation_when_no_watermark_completes_its_groups_then_is_refused_at_its_start,
    test_order_when_an_argument_is_refused_then_says_so_at_the_call,
    test_statement_when_a_word_is_wrong_then_the_error_points_at_it,
    test_watermark_when_an_argument_is_refused_then_says_so_at_the_call,
)


@pytest.fixture
def stream(feed: Feed) -> DataFrame:
    """Return a stream with two time columns, and a document."""
    feed.add(("12:00:10", 0))
    return refused_stream(feed)


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
        "The column `time` already carries the watermark key 1. Leave out one of the two calls; "
        "for a second watermark, copy the column first, such as withColumn('other', col('time')), "
        "and call withKeyedWatermark on the copy with another key.",
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
