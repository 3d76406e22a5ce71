"""Errors as a client of Spark Connect sees them, and a server that lacks the extension."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import tidegate
from connect import server
from connect.remote_feed import RemoteFeed
from pairs import BETWEEN, keyed, timed
from refusals import check_at
from refused import (  # noqa: F401
    test_aggregation_when_no_watermark_completes_its_groups_then_is_refused_at_its_start,
    test_order_when_an_argument_is_refused_then_says_so_at_the_call,
    test_statement_when_a_word_is_wrong_then_the_error_points_at_it,
    test_watermark_when_an_argument_is_refused_then_says_so_at_the_call,
    written_by_us,
)

EXAMPLE = "Use an interval without months or years, in whole milliseconds, for example '5 seconds'."
MUST_BE_TIME = (
    "must be a TIMESTAMP or TIMESTAMP_NTZ. Convert it first, for example with to_timestamp or "
    "timestamp_millis."
)


@pytest.mark.parametrize(
    ("sql", "at", "condition", "sentence", "state"),
    [
        (
            "SELECT * FROM TUMBLE(TABLE(events), DESCRIPTOR(times), INTERVAL 1 MINUTE)",
            "DESCRIPTOR(times)",
            "TIME_COLUMN_NOT_FOUND",
            "The argument `timecol` of TUMBLE names the column `times`, which its table does not "
            "have. Use one of `id`, `time`, `partition`.",
            "42703",
        ),
        (
            "SELECT * FROM HOP(TABLE(events), DESCRIPTOR(time), 1 minute, 5 minutes)",
            "5 minutes",
            "HOP_SWAPPED",
            "HOP takes size first: found the size '1 minutes' and the slide '5 minutes'. Swap "
            "them, or name them: SIZE => INTERVAL '5 minutes', SLIDE => INTERVAL '1 minutes'.",
            "22023",
        ),
        (
            "SELECT * FROM SESSION(TABLE(IMPOSE_ORDER(TABLE(events), DESCRIPTOR(time), 0 seconds)),"
            " DESCRIPTOR(time), 5 minutes)",
            None,
            "SESSION_WITHOUT_AGGREGATE",
            "SESSION is not followed by an aggregation, which alone tells where a session begins "
            "and ends. Put GROUP BY window_start, window_end and the columns of its PARTITION BY "
            "over it, without a join in between.",
            "42K0E",
        ),
        (
            "SELECT current_watermark('ordres') FROM IMPOSE_ORDER(TABLE(events), DESCRIPTOR(time), "
            "0 seconds, name => 'orders')",
            "'ordres'",
            "UNKNOWN_WATERMARK",
            "The argument of current_watermark is 'ordres', but there is no watermark and no time "
            "column of that name below it. There are: `orders`, `time`.",
            "42704",
        ),
    ],
    ids=["column", "argument", "session", "watermark"],
)
def test_statement_when_refused_then_the_error_arrives_whole(
    feed: RemoteFeed, sql: str, at: str | None, condition: str, sentence: str, state: str
) -> None:
    feed.stream().createOrReplaceTempView("events")

    with pytest.raises(AnalysisException) as error:
        feed.spark.sql(sql)

    check_at(error.value, at, condition, sentence, state)


def test_later_error_when_about_a_watermark_then_points_at_no_text_of_ours(
    feed: RemoteFeed,
) -> None:
    once = tidegate.withKeyedWatermark(feed.stream(), "time", "5 seconds", name="orders")
    errors = []
    for refused in (
        lambda: tidegate.withKeyedWatermark(once, "time", "5 seconds", 2),
        lambda: once.union(feed.stream().withWatermark("time", "5 seconds")).schema,
        lambda: feed.run(once.tidegateName("a").groupBy("id").count()),
        lambda: once.select("nowhere").schema,
        lambda: tidegate.orderByEventTime(once.drop("time")),
    ):
        with pytest.raises(AnalysisException) as error:
            refused()
        errors.append(error.value)

    assert [error.getCondition() for error in errors] == [
        "TIDEGATE_COLUMN_KEYED_TWICE",
        "TIDEGATE_MIXED_WATERMARKS",
        "TIDEGATE_AGGREGATE_WITHOUT_TIME",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "TIDEGATE_ORDER_WITHOUT_WATERMARK",
    ]
    assert [written_by_us(error) for error in errors] == [[]] * len(errors)


@pytest.mark.parametrize(
    ("between", "condition", "sentence", "state"),
    [
        (
            ("delivery_time", "ordered", "0 seconds", "10 minutes"),
            "BETWEEN_COLUMN_NOT_FOUND",
            "The argument `between` names the time column `ordered`, which does not exist on the "
            "left side. Use one of its columns: `order_id`, `shop`, `order_time`.",
            "42703",
        ),
        (
            ("shop", "order_time", "0 seconds", "10 minutes"),
            "BETWEEN_NOT_TIMESTAMP",
            "The argument `between` names the column `shop`, which has the type BIGINT, but "
            f"{MUST_BE_TIME}",
            "42K09",
        ),
        (
            ("delivery_time", "order_time", "10 minutes", "0 seconds"),
            "BETWEEN_ORDER",
            "The argument `between` has the lower bound '10 minutes' above the upper bound "
            "'0 seconds', so that no rows would match. Swap the two.",
            "22023",
        ),
        (
            ("delivery_time", "order_time", "0 seconds", "soon"),
            "INVALID_DURATION",
            f"The argument `between` is 'soon', which is not a duration. {EXAMPLE}",
            "22006",
        ),
    ],
    ids=["column", "type", "order", "duration"],
)
def test_join_when_its_bounds_are_refused_then_says_so_at_the_call(
    orders: RemoteFeed,
    deliveries: RemoteFeed,
    between: Any,
    condition: str,
    sentence: str,
    state: str,
) -> None:
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(left, right, "order_id", "leftOuter", between)

    check_at(error.value, None, condition, sentence, state)


def test_join_when_a_side_has_no_watermark_then_says_which(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    left, right = keyed(orders, "order", 0), timed(deliveries.stream(), "delivery")

    with pytest.raises(AnalysisException) as error:
        tidegate.streamJoin(left, right, "order_id", between=BETWEEN)

    sentence = (
        "The argument `between` names the time column `delivery_time` of the right side, which has "
        "no watermark key. Call withKeyedWatermark on it before the join."
    )
    check_at(error.value, None, "BETWEEN_NOT_KEYED", sentence, "42K0E")


UNBOUNDED = (
    "The state of the LEFT OUTER join of two streams grows without limit: nothing bounds "
    "`delivery_time` of the right side by `order_time` of the left side in both directions; add a "
    "condition such as delivery_time BETWEEN order_time - INTERVAL 10 MINUTES AND order_time + "
    "INTERVAL 10 MINUTES, or join on equal times or windows."
)


def test_outer_join_when_it_gets_no_bounds_then_is_refused_when_it_is_analyzed(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)

    joined = tidegate.streamJoin(left, right, "order_id", "leftOuter")

    with pytest.raises(AnalysisException) as error:
        joined.isStreaming
    check_at(error.value, None, "JOIN_UNBOUNDED", UNBOUNDED, "42K0E")


def test_outer_join_when_only_the_hint_of_bounds_is_there_then_is_refused_at_its_start(
    orders: RemoteFeed, deliveries: RemoteFeed
) -> None:
    left, right = keyed(orders, "order", 0), keyed(deliveries, "delivery", 1)
    on = (left.order_id == right.order_id) & (right.delivery_time <= left.order_time)

    joined = left.join(right, on, "leftOuter").hint("tidegate_bounds_follow")

    assert joined.isStreaming
    with pytest.raises(AnalysisException) as error:
        orders.run(joined)
    check_at(error.value, None, "JOIN_UNBOUNDED", UNBOUNDED, "42K0E")


def test_bounds_when_on_no_join_then_says_what_makes_one(feed: RemoteFeed) -> None:
    statement = "SELECT * FROM BOUND_JOIN(TABLE({df}), DESCRIPTOR(a), DESCRIPTOR(b), :p, :p)"

    with pytest.raises(AnalysisException) as error:
        feed.spark.sql(statement, args={"p": "1 second"}, df=feed.stream())

    sentence = (
        "The table of BOUND_JOIN is not a join. Call streamJoin, which calls this function with "
        "the join that it makes."
    )
    check_at(error.value, None, "NO_JOIN", sentence, "42K09")


TROUBLESHOOTING = Path(__file__).parent.parent.parent / "docs" / "troubleshooting.md"


def sql_errors(spark: SparkSession) -> list[str]:
    """Return what Spark says of statements for Tidegate, as far as the page quotes it."""
    spark.sql("SELECT 1 AS id, timestamp_seconds(1) AS ts").createOrReplaceTempView("orders")
    errors = []
    for sql in (
        "SELECT * FROM TUMBLE(TABLE(orders), DESCRIPTOR(ts), INTERVAL 5 MINUTES)",
        "SELECT is_late(ts) FROM orders",
        "SELECT * FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL 5 MINUTES)",
        "SELECT * FROM TUMBLE(TABLE(orders), DESCRIPTOR(ts), 5 minutes)",
    ):
        with pytest.raises(AnalysisException) as error:
            spark.sql(sql)
        errors.append(" ".join(str(error.value).split()))
    return errors


@pytest.mark.at_night
def test_server_when_it_has_the_jar_alone_then_sql_says_how_to_start_it(tmp_path: Path) -> None:
    jar = ["--jars", tidegate.jarPath()]
    with server.running(tmp_path, *jar) as address, server.client(address) as spark:
        statements = sql_errors(spark)
        assert spark.sql("SELECT count(*) FROM orders").collect()[0][0] == 1
        with pytest.raises(AnalysisException) as wrong:
            spark.sql("SELECT * FROM orders WHERE >")

    assert len(statements) == 4
    for statement in statements:
        assert statement.startswith("[TIDEGATE_EXTENSION_NOT_INSTALLED] This Spark session does")
    assert wrong.value.getCondition() == "PARSE_SYNTAX_ERROR"


def test_server_when_without_the_extension_then_the_first_call_says_how_to_start_it(
    tmp_path: Path,
) -> None:
    with server.running(tmp_path) as address, server.client(address) as spark:
        rows = spark.sql("SELECT 1 AS id, timestamp '2026-01-01 12:00:00' AS time")
        statements = sql_errors(spark)

        with pytest.raises(tidegate.MissingExtensionError) as watermark:
            tidegate.withKeyedWatermark(rows, "time", "5 seconds")
        with pytest.raises(tidegate.MissingExtensionError) as join:
            tidegate.streamJoin(
                rows,
                rows.withColumnRenamed("time", "other"),
                "id",
                between=("other", "time", "0 seconds", "1 minute"),
            )

    # A search for what Spark says finds the page of troubleshooting.
    page = TROUBLESHOOTING.read_text(encoding="utf-8")
    quoted = [
        cell.strip("` ").split(" ... ")
        for line in page[page.index("## The session lacks Tidegate") :].splitlines()
        for cell in line.split("|")[1:2]
        if cell.strip().startswith(("``[", "`["))
    ]
    assert len(quoted) == len(statements)
    for parts, statement in zip(quoted, statements, strict=True):
        assert all(part.removesuffix(" ...") in statement for part in parts), statement

    assert str(watermark.value) == str(join.value)
    assert str(join.value) == (
        "The Spark Connect server runs without the Tidegate extension. Start the server with "
        "--jars <the Tidegate jar> --conf spark.sql.extensions=tidegate.TidegateExtensions; "
        "tidegate.jarPath() is the jar for this PySpark."
    )


def test_configure_when_the_builder_is_remote_then_says_that_the_server_decides(
    address: str,
) -> None:
    with pytest.raises(tidegate.UnsupportedSessionError) as error:
        tidegate.configure(SparkSession.builder.remote(address))

    assert str(error.value) == (
        f"configure adds a jar to a local Spark, and this builder connects to {address}, a Spark "
        f"Connect server. Start that server with --jars {Path(tidegate.jarPath()).name} --conf "
        "spark.sql.extensions=tidegate.TidegateExtensions."
    )
