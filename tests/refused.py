"""What is refused in the same words on classic PySpark and on Spark Connect.

Each table is a mark for a test: the wrong arguments or text, and the error that they give. The
tests at the end run in the suites of both, which import them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from feeds import Feed
from refusals import check, check_at

USABLE: dict[str, Any] = {"eventTime": "time", "lag": "5 seconds"}
"""Arguments of `withKeyedWatermark`."""


def refused_stream(feed: Feed) -> DataFrame:
    """Return a stream with two time columns, and a document."""
    document = F.parse_json(F.lit("{}"))
    return feed.stream().withColumns({"other": F.col("time"), "document": document})


COLUMNS = "columns of the stream: `id`, `time`, `partition`, `other`, `document`."
NO_DURATION = (
    "which is not a duration. Use an interval without months or years, in whole milliseconds, for "
    "example '5 seconds'."
)


def _by_condition(value: object) -> str:
    return value if isinstance(value, str) and value.isupper() else ""


watermark_arguments = pytest.mark.parametrize(
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
            {"lateRows": " "},
            "LATE_ROWS_EMPTY",
            "The argument `lateRows` is empty. Leave it out to only count late rows, or pass a "
            "table such as 'late_orders', or a folder such as '/data/late-orders'.",
            "42602",
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
            {"idleBehind": "0 seconds"},
            "DURATION_TOO_SMALL",
            "The argument `idleBehind` is '0 seconds', but must be at least 1 ms. Use a duration "
            "such as '5 seconds'.",
            "22023",
        ),
        (
            {"maxFutureSkew": "-1 second"},
            "DURATION_TOO_SMALL",
            "The argument `maxFutureSkew` is '-1 second', but must be at least 0 ms. Use a "
            "duration such as '5 seconds'.",
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
    ids=_by_condition,
)
"""Arguments of `withKeyedWatermark` on `refused_stream`, beside those in `USABLE`."""

order_arguments = pytest.mark.parametrize(
    ("arguments", "condition", "sentence", "state"),
    [
        (
            {},
            "ORDER_WITHOUT_WATERMARK",
            "A stream is to be ordered by event time, but none of its columns has a keyed "
            "watermark, so that no row would ever leave. Call withKeyedWatermark('ts', '5 "
            "seconds') on it before, or put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 "
            "SECONDS) in the place of the table.",
            "42K0E",
        ),
        (
            {"eventTime": "nowhere"},
            "EVENT_TIME_NOT_FOUND",
            f"The event time column `nowhere` does not exist. Use one of the {COLUMNS}",
            "42703",
        ),
        (
            {"partitionBy": ["id", "shard"]},
            "ORDER_KEY_NOT_FOUND",
            "The column `shard` that rows are divided by before they are ordered does not exist. "
            "Use one or more of the columns that there are: `id`, `time`, `partition`, `other`, "
            "`document`.",
            "42703",
        ),
    ],
    ids=_by_condition,
)
"""Arguments of `orderByEventTime` on `refused_stream`, which has no watermark."""

TUMBLE = "TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL 10 SECONDS)"

statements = pytest.mark.parametrize(
    ("sql", "at", "condition", "sentence", "state"),
    [
        (
            "SELECT * FROM TUMBEL(TABLE(events), DESCRIPTOR(time), INTERVAL 5 SECONDS)",
            "TUMBEL(TABLE(events), DESCRIPTOR(time), INTERVAL 5 SECONDS)",
            "UNKNOWN_FUNCTION",
            f"There is no function TUMBEL. Did you mean TUMBLE? It is called as {TUMBLE}.",
            "42883",
        ),
        (
            "SELECT * FROM TUMBLE(TABLE(events), time, INTERVAL 5 SECONDS)",
            "time",
            "DESCRIPTOR_MISSING",
            "The argument `timecol` of TUMBLE is time, but must be a DESCRIPTOR, which names the "
            "time column. Write DESCRIPTOR(time).",
            "42K09",
        ),
        (
            "SELECT * FROM TUMBLE(TABLE(events), DESCRIPTOR(time), 5s)",
            "5s",
            "DURATION_SPELLING",
            "The argument `size` is '5s', which is not a duration. Did you mean '5 seconds'?",
            "22006",
        ),
        (
            "SELECT * FROM IMPOSE_ORDER(TABLE(events), DESCRIPTOR(time), '10min')",
            "'10min'",
            "DURATION_SPELLING",
            "The argument `lag` is '10min', which is not a duration. Did you mean '10 minutes'?",
            "22006",
        ),
    ],
    ids=["tumbel", "descriptor", "5s", "10min"],
)
"""Statements over a view `events`, and the part of each that its error points at."""

aggregations = pytest.mark.parametrize(
    ("aggregated", "condition", "sentence"),
    [
        (
            lambda df: df.groupBy(F.window(F.expr("time + INTERVAL 1 SECOND"), "1 minute")),
            "AGGREGATE_ON_COMPUTED_TIME",
            "The aggregation is grouped by time + INTERVAL '01' SECOND, which is computed from "
            "`time` and so has no watermark any more: in output mode append no group would ever "
            "be complete. Group by window(`time`, '10 minutes') on the column itself, or compute "
            "the time in a column first and call withKeyedWatermark on that column.",
        ),
        (
            lambda df: df.groupBy("partition"),
            "AGGREGATE_WITHOUT_TIME",
            "The aggregation is grouped by `partition`, and so by no time with a watermark: in "
            "output mode append no group would ever be complete. Add window(`time`, '10 minutes') "
            "to its keys, or use output mode update or complete.",
        ),
    ],
    ids=_by_condition,
)
"""Groups of a stream with a watermark on `time`, which a start in append mode refuses (42K0E)."""


@watermark_arguments
def test_watermark_when_an_argument_is_refused_then_says_so_at_the_call(
    feed: Feed, arguments: dict[str, Any], condition: str, sentence: str, state: str
) -> None:
    stream = refused_stream(feed)

    with pytest.raises(AnalysisException) as error:
        tidegate.withKeyedWatermark(stream, **(USABLE | arguments))

    check(error.value, condition, sentence, state)
    # The statement that a client sends for the call is not the user's.
    assert error.value.getQueryContext() == []


@order_arguments
def test_order_when_an_argument_is_refused_then_says_so_at_the_call(
    feed: Feed, arguments: dict[str, Any], condition: str, sentence: str, state: str
) -> None:
    stream = refused_stream(feed)

    with pytest.raises(AnalysisException) as error:
        tidegate.orderByEventTime(stream, **arguments)

    check(error.value, condition, sentence, state)
    assert error.value.getQueryContext() == []


@statements
def test_statement_when_a_word_is_wrong_then_the_error_points_at_it(
    feed: Feed, sql: str, at: str, condition: str, sentence: str, state: str
) -> None:
    feed.stream().createOrReplaceTempView("events")

    with pytest.raises(AnalysisException) as error:
        feed.spark.sql(sql)

    check_at(error.value, at, condition, sentence, state)


@aggregations
def test_aggregation_when_no_watermark_completes_its_groups_then_is_refused_at_its_start(
    feed: Feed, aggregated: Callable[[DataFrame], Any], condition: str, sentence: str
) -> None:
    keyed = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds")

    with pytest.raises(AnalysisException) as error:
        feed.run(aggregated(keyed).count())

    check(error.value, condition, sentence, "42K0E")
    assert written_by_us(error.value) == []


def written_by_us(error: AnalysisException) -> list[str]:
    """Return what an error shows of the statements that our functions send."""
    words = ("KEYED_WATERMARK", "ORDER_BY_TIME", "BOUND_JOIN", "AS_OF_JOIN", "pos ")
    return [line for line in str(error).splitlines() if any(word in line for word in words)]
