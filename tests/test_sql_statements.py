"""The table functions in all kinds of statements, beside names of the user that look like ours."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

from feeds import Feed
from sparks import since

CALL = "tumble(orders, descriptor(time), 10 seconds)"


@pytest.fixture(autouse=True, scope="module")
def orders_table(spark: SparkSession) -> Iterator[None]:
    """Make a table with four orders, in the windows of 12:00:00 (three) and 12:00:10."""
    spark.sql("CREATE TABLE orders (id INT, time TIMESTAMP) USING json")
    spark.sql(
        "INSERT INTO orders SELECT id, timestamp_seconds(1767268800 + s) "
        "FROM VALUES (1, 1), (2, 5), (3, 7), (4, 12) AS v(id, s)"
    )
    yield
    spark.sql("DROP TABLE orders")


def first(spark: SparkSession, statement: str) -> str:
    """Return the first column of the first row."""
    return str(spark.sql(statement).collect()[0][0])


@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        (f"WITH w AS (SELECT * FROM {CALL}) SELECT count(DISTINCT window_end) FROM w", "2"),
        (
            "WITH o AS (SELECT * FROM orders WHERE id > 1) "
            "SELECT count(*) FROM tumble(o, descriptor(time), 10 seconds)",
            "3",
        ),
        (
            "SELECT count(*) FROM tumble(TABLE(WITH o AS (SELECT * FROM orders) SELECT * FROM o), "
            "descriptor(time), 10 seconds)",
            "4",
        ),
        (f"SELECT (SELECT max(window_end) FROM {CALL}) > max(time) FROM orders", "True"),
        (
            f"SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM {CALL} w "
            "WHERE w.id = o.id + 1 AND w.window_start < o.time)",
            "2",
        ),
        (
            "SELECT count(DISTINCT window_start) FROM orders o, LATERAL (SELECT * FROM "
            "tumble(TABLE(SELECT o.time AS time), descriptor(time), 10 seconds))",
            "2",
        ),
        (f"SELECT count(*) FROM {CALL} a JOIN {CALL} b USING (window_start)", "10"),
        (f"SELECT count(*) FROM orders, {CALL} w WHERE w.id = orders.id", "4"),
        (f"FROM {CALL} |> AGGREGATE count(*) AS n GROUP BY window_start |> AGGREGATE max(n)", "3"),
        (f"FROM {CALL} SELECT count(*)", "4"),
        (f"SELECT w.a FROM {CALL} AS w(a, b, c, d, e) WHERE w.a = 4", "4"),
        (f"SELECT orders.id FROM {CALL} WHERE orders.id = 2", "2"),
        (f"SELECT count(*) FROM (SELECT * FROM {CALL} UNION ALL SELECT * FROM {CALL})", "8"),
        (f"SELECT count(*) FROM {CALL} GROUP BY ROLLUP (window_start) ORDER BY 1 DESC", "4"),
        (f"SELECT count(*) OVER (PARTITION BY window_start) FROM {CALL} ORDER BY 1 DESC", "3"),
        ("SELECT count(*) FROM IDENTIFIER('tumble')(orders, descriptor(time), '10 seconds')", "4"),
        (
            "EXECUTE IMMEDIATE 'SELECT count(*) FROM tumble(orders, descriptor(time), 10 seconds)'",
            "4",
        ),
        (
            "EXECUTE IMMEDIATE 'SELECT count(DISTINCT window_start) FROM "
            "tumble(orders, descriptor(time), :size, 1 second)' USING '1 hour' AS size",
            "1",
        ),
        pytest.param(
            "BEGIN DECLARE size STRING DEFAULT '10 seconds'; DECLARE n INT DEFAULT 0; "
            f"FOR w AS SELECT DISTINCT window_start FROM {CALL} DO SET n = n + 1; END FOR; "
            "SELECT n + count(*) FROM tumble(orders, descriptor(time), size); END",
            "6",
            marks=since(1, "SQL scripts"),
        ),
    ],
)
def test_statements(spark: SparkSession, statement: str, answer: str) -> None:
    assert first(spark, statement) == answer


def test_parameters_and_dataframes(spark: SparkSession) -> None:
    named = spark.sql(
        "SELECT count(*) FROM tumble(TABLE({df}), descriptor(time), :size) WHERE id > :id",
        args={"size": "10 seconds", "id": 1},
        df=spark.table("orders"),
    )
    assert named.collect()[0][0] == 3
    positional = spark.sql(
        "SELECT count(*) FROM tumble(orders, descriptor(time), 10 seconds) WHERE id > ?", args=[1]
    )
    assert positional.collect()[0][0] == 3


@since(1, "a parameter as the name of a column")
def test_identifiers(spark: SparkSession) -> None:
    identifiers = spark.sql(
        "SELECT count(*) FROM tumble(IDENTIFIER(:t), descriptor(IDENTIFIER(:c)), 10 seconds)",
        args={"t": "orders", "c": "time"},
    )
    assert identifiers.collect()[0][0] == 4


def test_a_persisted_view_keeps_its_text(spark: SparkSession) -> None:
    text = "SELECT *  FROM TABLE( tumble(TABLE orders, descriptor(`time`), 10 seconds /* it's */) )"
    spark.sql(f"CREATE VIEW windowed AS {text}")
    try:
        assert f"AS {text}\n" in first(spark, "SHOW CREATE TABLE windowed")
        assert first(spark, "SELECT count(DISTINCT window_end) FROM windowed") == "2"
        other = text.replace("10 seconds", "1 day")
        spark.sql(f"ALTER VIEW windowed AS {other}")
        assert first(spark, "SELECT count(DISTINCT window_end) FROM windowed") == "1"
    finally:
        spark.sql("DROP VIEW windowed")


@since(1, "STREAM")
def test_a_persisted_view_over_a_stream(spark: SparkSession, feed: Feed) -> None:
    spark.sql(
        "CREATE VIEW ordered AS SELECT * FROM "
        "impose_order(TABLE(STREAM orders), descriptor(time), 1 second, name => 'orders')"
    )
    try:
        counted = spark.sql(
            "SELECT window_start, count(*), current_watermark('orders') IS NULL FROM "
            "tumble(ordered, descriptor(time), 5 seconds) GROUP BY window_start"
        )
        assert sorted(row[1] for row in feed.run(counted)) == [1, 2]
        described = spark.sql("DESCRIBE ordered").where("col_name = 'time'").collect()[0]
        assert described.comment == "event time, watermark key 0"
    finally:
        spark.sql("DROP VIEW ordered")


def test_explain_and_describe_show_the_time_column_and_its_key(
    spark: SparkSession, feed: Feed
) -> None:
    feed.stream().createOrReplaceTempView("t")
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW ordered AS "
        "SELECT * FROM impose_order(t, descriptor(time), 1 second, 7)"
    )
    described = {row.col_name: row.comment for row in spark.sql("DESCRIBE ordered").collect()}
    assert described == {"id": None, "time": "event time, watermark key 7", "partition": None}
    windows = spark.sql(
        "DESCRIBE SELECT window_start, window_end, window_time "
        "FROM tumble(ordered, descriptor(time), 1 second)"
    )
    assert [row.comment for row in windows.collect()] == [
        None,
        "event time, watermark key 7",
        "event time, watermark key 7",
    ]
    explained = first(spark, "EXPLAIN EXTENDED SELECT * FROM ordered")
    assert "KeyedWatermark time#" in explained
    assert "key=7" in explained


def test_sql_functions_of_the_user(spark: SparkSession) -> None:
    spark.sql(
        "CREATE FUNCTION per_window() RETURNS TABLE (start TIMESTAMP, n BIGINT) "
        f"RETURN SELECT window_start, count(*) FROM {CALL} GROUP BY window_start"
    )
    try:
        assert first(spark, "SELECT max(n) FROM per_window()") == "3"
    finally:
        spark.sql("DROP FUNCTION per_window")


def test_names_of_the_user_that_are_also_ours(spark: SparkSession) -> None:
    @F.udtf(returnType="twice int")  # type: ignore[arg-type]
    class Twice:
        def eval(self, n: int) -> Iterator[tuple[int]]:
            yield (2 * n,)

    spark.udtf.register("tumble", Twice)  # type: ignore[arg-type]
    spark.udf.register("descriptor", lambda n: n + 1, LongType())
    try:
        assert first(spark, "SELECT twice FROM tumble(21)") == "42"
        assert first(spark, "SELECT descriptor(id) FROM orders WHERE id = 1") == "2"
        assert first(spark, f"SELECT count(*) FROM {CALL}") == "4"
    finally:
        spark.sql("DROP TEMPORARY FUNCTION tumble")
        spark.sql("DROP TEMPORARY FUNCTION descriptor")
    spark.table("orders").createOrReplaceTempView("tumble")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW session AS SELECT 1 AS descriptor, 2 AS hop")
    assert first(spark, "SELECT count(*) FROM tumble(tumble, descriptor(time), 5 seconds)") == "4"
    assert first(spark, "SELECT session.descriptor + hop FROM session") == "3"


def test_a_session_variable_is_not_a_column(spark: SparkSession) -> None:
    spark.sql(
        "DECLARE OR REPLACE VARIABLE width INTERVAL DAY TO SECOND DEFAULT INTERVAL 10 SECONDS"
    )
    assert first(spark, "SELECT count(*) FROM tumble(orders, descriptor(time), width)") == "4"
