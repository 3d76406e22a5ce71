"""What the SQL functions refuse: each with a class, a whole sentence, and the place in the text."""

from collections.abc import Callable

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from feeds import Feed
from refusals import check_at
from sparks import since

NO_DURATION = (
    "which is not a duration. Use an interval without months or years, in whole milliseconds, for "
    "example '5 seconds'."
)
TOO_SMALL = "but must be at least 1 ms. Use a duration such as '5 seconds'."
TUMBLE = "TUMBLE(data, timecol, size [, offset])"


@pytest.fixture(autouse=True, scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Make a table `t` and a stream `s` with the same columns, and `o`, the stream in order."""
    feed = Feed(spark, tmp_path_factory.mktemp("feed"))
    feed.add(("12:00:10", 0))
    feed.batch().createOrReplaceTempView("t")
    feed.stream().selectExpr("*", "time AS other").createOrReplaceTempView("s")
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW o AS "
        "SELECT * FROM impose_order(s, descriptor(time), 5 seconds, name => 'orders')"
    )


@pytest.mark.parametrize(
    ("call", "at", "condition", "sentence", "state"),
    [
        (
            "tumble(t, descriptor(), 5 seconds)",
            "descriptor()",
            "DESCRIPTOR_COLUMNS",
            "The argument `timecol` of TUMBLE is a DESCRIPTOR with no column, but must have "
            "exactly "
            "one: the time column, for example DESCRIPTOR(ts).",
            "42605",
        ),
        (
            "tumble(t, descriptor(time, id), 5 seconds)",
            "descriptor(time, id)",
            "DESCRIPTOR_COLUMNS",
            "The argument `timecol` of TUMBLE is a DESCRIPTOR with 2 columns: `time`, `id`, but "
            "must "
            "have exactly one: the time column, for example DESCRIPTOR(ts).",
            "42605",
        ),
        (
            "tumble(t, descriptor(time + INTERVAL 1 DAY), 5 seconds)",
            "descriptor(time + INTERVAL 1 DAY)",
            "DESCRIPTOR_OF_EXPRESSION",
            "A DESCRIPTOR holds (time + INTERVAL '1' DAY), but must hold the name of a column. "
            "Compute it as a column first: TABLE(SELECT *, (time + INTERVAL '1' DAY) AS t FROM "
            "...).",
            "42601",
        ),
        (
            "tumble(t, descriptor(tiem), 5 seconds)",
            "descriptor(tiem)",
            "TIME_COLUMN_NOT_FOUND",
            "The argument `timecol` of TUMBLE names the column `tiem`, which its table does not "
            "have. Use one of `id`, `time`, `partition`.",
            "42703",
        ),
        (
            "impose_order(t, descriptor(id), 5 seconds)",
            "descriptor(id)",
            "TIME_COLUMN_NOT_TIMESTAMP",
            "The argument `timecol` of IMPOSE_ORDER names the column `id`, which has the type "
            "BIGINT, but must be a TIMESTAMP or TIMESTAMP_NTZ. Convert it first, for example with "
            "to_timestamp or timestamp_millis.",
            "42K09",
        ),
        (
            "impose_order(TABLE(SELECT struct(time) AS q FROM t), descriptor(q.time), 5 seconds)",
            "descriptor(q.time)",
            "TIME_COLUMN_IS_FIELD",
            "The argument `timecol` of IMPOSE_ORDER names `q.time`, which is a field of a struct, "
            "but must be a column: it carries the watermark. Select it as a column first: "
            "TABLE(SELECT *, q.time FROM ...).",
            "42K09",
        ),
        (
            "tumble(TABLE(t), time, INTERVAL 5 SECONDS)",
            "time",
            "DESCRIPTOR_MISSING",
            "The argument `timecol` of TUMBLE is time, but must be a DESCRIPTOR, which names the "
            "time column. Write DESCRIPTOR(time).",
            "42K09",
        ),
        (
            "tumble(TABLE(t), 5 seconds, descriptor(time))",
            "5 seconds",
            "DESCRIPTOR_MISSING",
            "The argument `timecol` of TUMBLE is INTERVAL '05' SECOND, but must be a DESCRIPTOR, "
            "which names the time column. Write DESCRIPTOR(time).",
            "42K09",
        ),
        (
            "tumble(descriptor(time), 5 seconds)",
            "tumble(descriptor(time), 5 seconds)",
            "TABLE_MISSING",
            "TUMBLE has no table. Pass one as its first argument, TABLE(name) or TABLE(query), for "
            "example TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL 10 SECONDS).",
            "42605",
        ),
        (
            "tumble(t, descriptor(time), 5 seconds, 1 second, 2 seconds)",
            "2 seconds",
            "TOO_MANY_ARGUMENTS",
            "TUMBLE has a positional argument number 4 after its table, which is one too many. Its "
            f"arguments are {TUMBLE}; others have to be named.",
            "42605",
        ),
        (
            "tumble(t, descriptor(time))",
            "tumble(t, descriptor(time))",
            "ARGUMENT_MISSING",
            f"TUMBLE has no argument `size`. Its arguments are {TUMBLE}, for example "
            "TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL 10 SECONDS).",
            "42605",
        ),
        (
            "tumble(t, descriptor(time), siez => '5 seconds')",
            "'5 seconds'",
            "UNKNOWN_ARGUMENT",
            "TUMBLE does not take an argument `siez`. Did you mean `size`? Its arguments are "
            "`data`, "
            "`timecol`, `size`, `offset`.",
            "4274K",
        ),
        (
            "tumble(t, descriptor(time), 5 seconds, size => '6 seconds')",
            "'6 seconds'",
            "ARGUMENT_TWICE",
            "The argument `size` of TUMBLE is given twice. Remove one of the two.",
            "4274K",
        ),
        (
            "tumble(t, size => '5 seconds', descriptor(time))",
            "descriptor(time)",
            "POSITIONAL_AFTER_NAMED",
            "The positional argument DESCRIPTOR(time) of TUMBLE follows a named one. Name it too, "
            "or put it before the named ones.",
            "4274K",
        ),
        (
            "tumble(t, descriptor(time), 5 months)",
            "5 months",
            "WINDOW_OF_MONTHS",
            "The argument `size` of TUMBLE is '5 months', but a window has a fixed length. For the "
            "months of a calendar, in output mode append, group by date_trunc('MONTH', time) and "
            "session_window(time, concat(unix_micros(date_trunc('MONTH', time) + INTERVAL 1 MONTH) "
            "- unix_micros(time), ' microseconds')).",
            "22023",
        ),
        (
            "tumble(t, descriptor(time), 5)",
            "5",
            "DURATION_SPELLING",
            "The argument `size` is '5', which is not a duration. Did you mean '5 seconds'?",
            "22006",
        ),
        (
            "tumble(t, descriptor(time), 1500 microseconds)",
            "1500 microseconds",
            "INVALID_DURATION",
            f"The argument `size` is '0.0015 seconds', {NO_DURATION}",
            "22006",
        ),
        (
            "tumble(t, descriptor(time), NULL)",
            "NULL",
            "INVALID_DURATION",
            f"The argument `size` is 'NULL', {NO_DURATION}",
            "22006",
        ),
        (
            "tumble(t, descriptor(time), make_dt_interval(0, 0, 0, id))",
            "make_dt_interval(0, 0, 0, id)",
            "ARGUMENT_NOT_CONSTANT",
            "The argument `size` of TUMBLE is make_dt_interval(0, 0, 0, CAST(t.id AS "
            "DECIMAL(18,6))), "
            "which is not a constant. Use a value that is the same for all rows, such as INTERVAL "
            "5 "
            "SECONDS.",
            "42K09",
        ),
        (
            "tumble(t, descriptor(time), 0 seconds)",
            "0 seconds",
            "DURATION_TOO_SMALL",
            f"The argument `size` is '0 seconds', {TOO_SMALL}",
            "22023",
        ),
        (
            "tumble(t, descriptor(time), -5 seconds)",
            "-5 seconds",
            "DURATION_TOO_SMALL",
            f"The argument `size` is '-5 seconds', {TOO_SMALL}",
            "22023",
        ),
        (
            "hop(t, descriptor(time), 5 seconds, 0 seconds)",
            "0 seconds",
            "DURATION_TOO_SMALL",
            f"The argument `slide` is '0 seconds', {TOO_SMALL}",
            "22023",
        ),
        (
            "session(t, descriptor(time), 0 seconds)",
            "0 seconds",
            "DURATION_TOO_SMALL",
            f"The argument `gap` is '0 seconds', {TOO_SMALL}",
            "22023",
        ),
        (
            "cumulate(t, descriptor(time), 0 seconds, 1 hour)",
            "0 seconds",
            "DURATION_TOO_SMALL",
            f"The argument `step` is '0 seconds', {TOO_SMALL}",
            "22023",
        ),
        (
            "hop(t, descriptor(time), 5 seconds, 1 minute)",
            "1 minute",
            "HOP_SWAPPED",
            "HOP takes size first: found the size '5 seconds' and the slide '1 minutes'. Swap "
            "them, "
            "or name them: SIZE => INTERVAL '1 minutes', SLIDE => INTERVAL '5 seconds'.",
            "22023",
        ),
        (
            "hop(t, descriptor(time), 5 seconds, 7 seconds)",
            "7 seconds",
            "HOP_SLIDE",
            "The argument `slide` of HOP is '7 seconds', which does not divide the size '5 "
            "seconds'. "
            "Use a slide that goes into the size without a remainder.",
            "22023",
        ),
        (
            "hop(t, descriptor(time), 7 seconds, 5 seconds)",
            "5 seconds",
            "HOP_SLIDE",
            "The argument `slide` of HOP is '5 seconds', which does not divide the size '7 "
            "seconds'. "
            "Use a slide that goes into the size without a remainder.",
            "22023",
        ),
        (
            "cumulate(t, descriptor(time), 1 hour, 5 seconds)",
            "1 hour",
            "CUMULATE_SWAPPED",
            "CUMULATE takes step first: found the step '1 hours' and the max_size '5 seconds'. "
            "Swap "
            "them, or name them: STEP => INTERVAL '5 seconds', MAX_SIZE => INTERVAL '1 hours'.",
            "22023",
        ),
        (
            "cumulate(t, descriptor(time), 5 seconds, 12 seconds)",
            "5 seconds",
            "CUMULATE_STEP",
            "The argument `step` of CUMULATE is '5 seconds', which does not divide the max_size "
            "'12 "
            "seconds'. Use a step that goes into the max_size without a remainder.",
            "22023",
        ),
        (
            "tumble(TABLE(t) PARTITION BY id, descriptor(time), 5 seconds)",
            "tumble(TABLE(t) PARTITION BY id, descriptor(time), 5 seconds)",
            "PARTITION_BY_NOT_TAKEN",
            "The table of TUMBLE has a PARTITION BY, which only SESSION and ORDER_BY_TIME take. "
            "Remove it, and name these columns in GROUP BY.",
            "42601",
        ),
        (
            "tumble(TABLE(t) PARTITION BY id ORDER BY id, descriptor(time), 5 seconds)",
            "tumble(TABLE(t) PARTITION BY id ORDER BY id, descriptor(time), 5 seconds)",
            "TABLE_ORDER",
            "The table of TUMBLE has an ORDER BY or WITH SINGLE PARTITION, which has no meaning "
            "there. Remove it: rows are taken as they come.",
            "42601",
        ),
        (
            "session(TABLE(t) PARTITION BY id + 1, descriptor(time), 5 seconds)",
            "id + 1",
            "PARTITION_BY_EXPRESSION",
            "PARTITION BY of SESSION has (t.id + CAST(1 AS BIGINT)), but must name columns of its "
            "table. Compute it as a column first: TABLE(SELECT *, (t.id + CAST(1 AS BIGINT)) AS k "
            "FROM ...).",
            "42601",
        ),
        (
            "order_by_time(TABLE(o) PARTITION BY id + 1, descriptor(time))",
            "id + 1",
            "PARTITION_BY_EXPRESSION",
            "PARTITION BY of ORDER_BY_TIME has (o.id + CAST(1 AS BIGINT)), but must name columns "
            "of its table. Compute it as a column first: TABLE(SELECT *, (o.id + CAST(1 AS "
            "BIGINT)) AS k FROM ...).",
            "42601",
        ),
        (
            "order_by_time(TABLE(SELECT *, map(1, 2) AS m FROM o) PARTITION BY m, "
            "descriptor(time))",
            "m",
            "ORDER_KEY_TYPE",
            "The column `m` that rows are divided by before they are ordered has the type MAP<INT, "
            "INT>, whose values cannot be compared. Use a column of a simple type, such as STRING "
            "or INT.",
            "42K09",
        ),
        (
            "order_by_time(o, descriptor(time), partition_by => 'shard')",
            "'shard'",
            "ORDER_KEY_NOT_FOUND",
            "The column `shard` that rows are divided by before they are ordered does not exist. "
            "Use one or more of the columns that there are: `id`, `time`, `partition`, `other`.",
            "42703",
        ),
        (
            "order_by_time(TABLE(o) PARTITION BY id, descriptor(time), "
            "partition_by => descriptor(id))",
            "descriptor(id)",
            "ARGUMENT_TWICE",
            "The argument `partition_by` of ORDER_BY_TIME is given twice. Remove one of the two.",
            "4274K",
        ),
        (
            "order_by_time(o, descriptor(other))",
            "descriptor(other)",
            "ORDER_NOT_KEYED",
            "A stream is to be ordered by the column `other`, which has no watermark, so that no "
            "row would ever leave. Call withKeyedWatermark('other', '5 seconds') on it before, or "
            "put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(other), INTERVAL 5 SECONDS) in the place of the "
            "table.",
            "42K0E",
        ),
        (
            "order_by_time(s, partition_by => 'id')",
            None,
            "ORDER_WITHOUT_WATERMARK",
            "A stream is to be ordered by event time, but none of its columns has a keyed "
            "watermark, so that no row would ever leave. Call withKeyedWatermark('ts', '5 "
            "seconds') on it before, or put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 "
            "SECONDS) in the place of the table.",
            "42K0E",
        ),
        (
            "order_by_time(o, descriptor(tiem))",
            "descriptor(tiem)",
            "EVENT_TIME_NOT_FOUND",
            "The event time column `tiem` does not exist. Use one of the columns of the stream: "
            "`id`, `time`, `partition`, `other`.",
            "42703",
        ),
        (
            "order_by_time(o, descriptor(time), 5 seconds)",
            "5 seconds",
            "TOO_MANY_ARGUMENTS",
            "ORDER_BY_TIME has a positional argument number 2 after its table, which is one too "
            "many. Its arguments are ORDER_BY_TIME(data [, timecol]); others have to be named.",
            "42605",
        ),
        pytest.param(
            "STREAM tumble(s, descriptor(time), 5 seconds)",
            "tumble(s, descriptor(time), 5 seconds)",
            "STREAM_MISPLACED",
            "STREAM stands before TUMBLE, which is no source. Put STREAM to the table: "
            "TUMBLE(TABLE(STREAM t), ...).",
            "42601",
            marks=since(2, "the place in the text; and STREAM, since 4.1"),
        ),
        (
            "impose_order(s, descriptor(time))",
            "impose_order(s, descriptor(time))",
            "LAG_OR_POLICY",
            "The keyed watermark has neither of them, but needs exactly one of `lag` and `policy`. "
            "Pass a lag such as '5 seconds', or a policy such as fixed_lag(5 seconds).",
            "42K08",
        ),
        (
            "impose_order(s, descriptor(time), -5 seconds)",
            "-5 seconds",
            "DURATION_TOO_SMALL",
            "The argument `lag` is '-5 seconds', but must be at least 0 ms. Use a duration such as "
            "'5 seconds'.",
            "22023",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, 128)",
            "128",
            "KEY_OUT_OF_RANGE",
            "The watermark key is 128, but must be from 0 to 127. Use a small number for each "
            "notion "
            "of time, for example key=0.",
            "22023",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, 'a')",
            "'a'",
            "INVALID_ARGUMENT",
            "The argument `key` of IMPOSE_ORDER is 'a', but must be a whole number.",
            "42K09",
        ),
        (
            "impose_order(s, descriptor(time), policy => 'fixed_lag')",
            "'fixed_lag'",
            "INVALID_ARGUMENT",
            "The argument `policy` of IMPOSE_ORDER is 'fixed_lag', but must be a policy such as "
            "fixed_lag(5 seconds).",
            "42K09",
        ),
        (
            "impose_order(s, descriptor(time), policy => fixed_leg(5 seconds))",
            "fixed_leg(5 seconds)",
            "UNKNOWN_POLICY",
            "There is no watermark policy with the name and number of arguments of fixed_leg('5 "
            "seconds'). Did you mean `fixed_lag`? Use one of `fixed_lag`, "
            "`limiting_lag_and_delay`, `limiting_lag_and_lull`, "
            "`limiting_timestamp_and_wall_clock_lag`, `ingestion_time`.",
            "42704",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, emission => byFrame())",
            "byFrame()",
            "UNKNOWN_POLICY",
            "There is no emission with the name and number of arguments of by_frame(). Use one of "
            "`by_frame`, `by_min_step`.",
            "42704",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, name => '')",
            "''",
            "EMPTY_NAME",
            "The argument `name` is empty. Leave it out to use the event time column as the name, "
            "or "
            "pass a text such as 'orders'.",
            "42602",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, substream => 5)",
            "5",
            "INVALID_ARGUMENT",
            "The argument `substream` of IMPOSE_ORDER is 5, but must be columns such as "
            "DESCRIPTOR(topic, partition).",
            "42K09",
        ),
        (
            "impose_order(s, descriptor(time), 5 seconds, substream => descriptor(shard))",
            "descriptor(shard)",
            "SUBSTREAM_NOT_FOUND",
            "The substream column `shard` does not exist. Use one or more of the columns of the "
            "stream: `id`, `time`, `partition`, `other`.",
            "42703",
        ),
        (
            "impose_order(o, descriptor(other), 5 seconds)",
            "descriptor(other)",
            "KEY_USED_TWICE",
            "The watermark key 0 for the column `other` is already used on this stream by the "
            "watermark `orders`. Give the second watermark a key of its own.",
            "42713",
        ),
        (
            "impose_order(o, descriptor(time), 5 seconds, 1)",
            "descriptor(time)",
            "COLUMN_KEYED_TWICE",
            "The column `time` already carries the watermark key 0. Leave out one of the two "
            "calls; for a second watermark, copy the column first, such as withColumn('other', "
            "col('time')), and call withKeyedWatermark on the copy with another key.",
            "42713",
        ),
    ],
)
def test_a_refused_call(
    spark: SparkSession, call: str, at: str | None, condition: str, sentence: str, state: str
) -> None:
    with pytest.raises(AnalysisException) as refused:
        spark.sql(f"SELECT *\nFROM {call}")
    check_at(refused.value, at, condition, sentence, state)


@pytest.mark.parametrize(
    ("query", "at", "condition", "sentence", "state"),
    [
        (
            "SELECT window_start, count(*) FROM cumulate(o, descriptor(time), 5 seconds, 1 minute) "
            "GROUP BY window_start",
            "window_start",
            "WINDOW_BY_START",
            "The windows of CUMULATE are grouped by `window_start` alone, but windows that begin "
            "together may end at different times, so that a group is never known to be complete. "
            "Add window_end to its keys.",
            "42K0E",
        ),
        (
            "SELECT * FROM session(t, descriptor(time), 5 seconds)",
            "session(t, descriptor(time), 5 seconds)",
            "SESSION_WITHOUT_AGGREGATE",
            "SESSION is not followed by an aggregation, which alone tells where a session begins "
            "and "
            "ends. Put GROUP BY window_start, window_end and the columns of its PARTITION BY over "
            "it, without a join in between.",
            "42K0E",
        ),
        (
            "SELECT id, count(*) FROM session(TABLE(t) PARTITION BY id, descriptor(time), 5 "
            "seconds) "
            "GROUP BY id",
            None,
            "SESSION_NOT_GROUPED",
            "The aggregation over SESSION is not grouped by its window. Add window_start and "
            "window_end to GROUP BY.",
            "42K0E",
        ),
        (
            "SELECT count(*) FROM session(TABLE(t) PARTITION BY id, descriptor(time), 5 seconds) "
            "GROUP BY window_start, window_end, partition",
            None,
            "SESSION_KEYS",
            "SESSION has `id` in PARTITION BY, and its aggregation is grouped by t.partition "
            "beside "
            "the window, but both must be the same: they say whose sessions these are. Put the "
            "same "
            "columns in both.",
            "42K0E",
        ),
        (
            "SELECT count(*) FROM session(t, descriptor(time), 5 seconds) "
            "WHERE window_end > time GROUP BY window_start, window_end",
            "window_end > time",
            "SESSION_FILTERED",
            "The condition (window_end > t.time) uses the window of a session before the "
            "aggregation "
            "in which it is known. Put it behind, in HAVING.",
            "42K0E",
        ),
        (
            "SELECT max(window_end) FROM session(t, descriptor(time), 5 seconds) "
            "GROUP BY window_start",
            None,
            "SESSION_COLUMN_USED",
            "The expression max(window_end) uses the window of a session before the aggregation in "
            "which it is known. Compute it behind the aggregation.",
            "42K0E",
        ),
        (
            "SELECT current_watermark('orderz') FROM o",
            "'orderz'",
            "UNKNOWN_WATERMARK",
            "The argument of current_watermark is 'orderz', but there is no watermark and no time "
            "column of that name below it. There are: `orders`, `time`.",
            "42704",
        ),
        (
            "SELECT current_watermark(42) FROM o",
            "42",
            "WATERMARK_NAME_NEEDED",
            "The argument of current_watermark is 42, but must be the name of a watermark or of a "
            "time column as a constant text, such as 'orders'.",
            "42K09",
        ),
        (
            "SELECT is_late(other) FROM o",
            "other",
            "COLUMN_WITHOUT_WATERMARK",
            "The argument of is_late is the column `other`, which has no watermark. Use a column "
            "of "
            "IMPOSE_ORDER or withKeyedWatermark.",
            "42K0E",
        ),
        (
            "SELECT is_late(id) FROM o",
            "id",
            "IS_LATE_NOT_TIME",
            "The argument of is_late is o.id of type BIGINT, but must be a time column with a "
            "watermark, or a window.",
            "42K09",
        ),
        (
            "SELECT is_late(to_timestamp(id)) FROM o",
            "to_timestamp(id)",
            "IS_LATE_COMPUTED",
            "The argument of is_late is to_timestamp(o.id), which is computed and so has no "
            "watermark. Use the time column itself.",
            "42K09",
        ),
        (
            "SELECT is_late(time, id) FROM o",
            "is_late(time, id)",
            "ONE_ARGUMENT",
            "The function is_late has 2 arguments, but takes exactly one, such as "
            "current_watermark('orders') or is_late(order_time).",
            "42605",
        ),
        pytest.param(
            "SELECT * FROM impose_order(TABLE(SELECT * FROM s WATERMARK time DELAY OF INTERVAL 1 "
            "SECOND), descriptor(other), 5 seconds)",
            None,
            "MIXED_WATERMARKS",
            "The query has the keyed watermark `other` and Spark's withWatermark on `time`, whose "
            "times do not mix. Use withKeyedWatermark for both.",
            "42K0E",
            marks=since(1, "WATERMARK"),
        ),
    ],
)
def test_a_refused_query(
    spark: SparkSession,
    query: str,
    at: str | None,
    condition: str,
    sentence: str,
    state: str,
) -> None:
    with pytest.raises(AnalysisException) as refused:
        spark.sql(query)
    check_at(refused.value, at, condition, sentence, state)


@since(1, "the place in the text")
def test_a_parameter_as_the_number_of_an_interval(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as refused:
        spark.sql("SELECT * FROM tumble(t, descriptor(time), :n seconds)", args={"n": 5})
    check_at(
        refused.value,
        ":n seconds",
        "INTERVAL_PARAMETER",
        "The interval ':n seconds' has a parameter as its number, which is not supported. Pass the "
        "whole interval as a string: write :size, and give it the value '5 seconds'.",
        "42601",
    )


def test_what_is_no_interval_is_refused_by_spark_at_its_own_place(spark: SparkSession) -> None:
    with pytest.raises(ParseException) as refused:
        spark.sql("SELECT *\nFROM tumble(t, descriptor(time), 5 fortnights)")
    assert refused.value.getCondition() == "PARSE_SYNTAX_ERROR"
    assert "near 'fortnights'" in str(refused.value)
    assert "(line 2, pos 35)" in str(refused.value)


@pytest.mark.parametrize(
    ("call", "condition", "sentence"),
    [
        (
            "tumble(s, descriptor(time), 5 seconds)",
            "WINDOW_WITHOUT_WATERMARK",
            "The aggregation over TUMBLE runs on the column `time`, which has no watermark, so "
            "that "
            "in output mode append no window would ever be closed. Put IMPOSE_ORDER(TABLE(t), "
            "DESCRIPTOR(time), INTERVAL 5 SECONDS) in the place of its table, or use output mode "
            "update or complete.",
        ),
        (
            "session(s, descriptor(time), 5 seconds)",
            "WINDOW_WITHOUT_WATERMARK",
            "The aggregation over SESSION runs on the column `time`, which has no watermark, so "
            "that "
            "in output mode append no window would ever be closed. Put IMPOSE_ORDER(TABLE(t), "
            "DESCRIPTOR(time), INTERVAL 5 SECONDS) in the place of its table, or use output mode "
            "update or complete.",
        ),
        (
            "tumble(o, descriptor(other), 5 seconds)",
            "WINDOW_ON_OTHER_TIME",
            "The aggregation over TUMBLE runs on the column `other`, but its table has a watermark "
            "on `time`. Name that column in the DESCRIPTOR, or put another IMPOSE_ORDER with a key "
            "of its own on `other`.",
        ),
        (
            "tumble(TABLE(SELECT *, time + INTERVAL 0 SECONDS AS later FROM o), descriptor(later), "
            "5 seconds)",
            "WINDOW_ON_COMPUTED_TIME",
            "The aggregation over TUMBLE runs on the column `later`, which is computed from `time` "
            "and so has no watermark any more. Use DESCRIPTOR(time), or put IMPOSE_ORDER after the "
            "expression.",
        ),
    ],
)
def test_an_aggregate_that_would_never_close(
    spark: SparkSession,
    start: Callable[[DataFrame], None],
    call: str,
    condition: str,
    sentence: str,
) -> None:
    counted = spark.sql(
        f"SELECT window_start, window_end, count(*) FROM {call} GROUP BY window_start, window_end"
    )
    with pytest.raises(AnalysisException) as refused:
        start(counted)
    # Of a session the first key is the window itself, which stands for the call.
    at = call if call.startswith("session") else "window_start"
    check_at(refused.value, at, condition, sentence, "42K0E")
