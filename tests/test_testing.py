"""`tidegate.testing`, as a user tests a query; the five tests of its page among them."""

import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas
import pytest
import pytest_tidegate
from documents import examples
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from tidegate.testing import QueryUnderTest, StreamTest

PAGE = Path(__file__).parent.parent / "docs" / "testing.md"
ORDERS = "time TIMESTAMP, shop STRING"


def page_tests() -> dict[str, Callable[[StreamTest], None]]:
    names: dict[str, Any] = {}
    for example in examples(PAGE.read_text()):
        if example.language == "python":
            exec(example.code, names)
    return {name: test for name, test in names.items() if name.startswith("test_")}


def counts(orders: DataFrame) -> DataFrame:
    keyed = orders.withKeyedWatermark(
        "time", "5 seconds", substream="shop", idleTimeout="1 minute", name="orders"
    )
    counted = keyed.groupBy(F.window("time", "1 minute")).count()
    return counted.select(F.date_format("window.start", "HH:mm").alias("minute"), "count")


def started(test: StreamTest) -> QueryUnderTest:
    return test.start(counts(test.input("orders", ORDERS)))


@pytest.mark.parametrize("name", page_tests())
def test_page_when_its_tests_run_then_they_pass(name: str, stream_test: StreamTest) -> None:
    page_tests()[name](stream_test)


def test_rows_when_of_each_kind_then_are_the_same_rows(
    spark: SparkSession, stream_test: StreamTest
) -> None:
    place_type = StructType().add("shop-id", "string").add("since", "date")
    schema = StructType().add("id", "long").add("time", "timestamp").add("place", place_type)
    query = stream_test.start(stream_test.input("orders", schema))
    time, place = datetime(2026, 1, 1, 12), ("a", "2026-01-01")
    frame = spark.sql("SELECT 1 AS id, timestamp '2026-01-01 12:00:00' AS time")

    stream_test.feed("orders", [{"id": 1, "time": "2026-01-01 12:00:00", "place": place}])
    stream_test.feed("orders", [Row(time="2026-01-01 12:00:00", id=1), (1, None, None)])
    stream_test.feed("orders", pandas.DataFrame({"id": [1], "time": [pandas.Timestamp(time)]}))
    stream_test.feed("orders", frame)
    stream_test.feed("orders", [])

    assert len(query.emitted()) == 5
    query.assertEmitted(
        [
            (1, "2026-01-01 12:00:00", {"shop-id": "a", "since": "2026-01-01"}),
            (1, None, None),
            *[(1, "2026-01-01 12:00:00", None)] * 3,
        ]
    )


def test_query_when_a_statement_is_restarted_and_killed_then_each_row_comes_once(
    stream_test: StreamTest,
) -> None:
    stream_test.input("orders", ORDERS)
    query = stream_test.start("SELECT shop FROM orders")

    stream_test.feed("orders", [{"shop": "a"}])
    query.assertEmitted([("a",)])
    query.kill()
    query.kill()
    stream_test.feed("orders", [{"shop": "b"}])
    query.restart()
    query.assertEmitted([("b",)])
    query.restart("SELECT upper(shop) AS shop FROM orders")
    stream_test.feed("orders", [{"shop": "c"}])
    query.stop()

    assert query.emitted() == [Row(shop="a"), Row(shop="b"), Row(shop="C")]
    assert query.streamingQuery.isActive is False


def test_query_when_restarted_with_other_columns_then_each_row_has_its_own(
    stream_test: StreamTest,
) -> None:
    stream_test.input("orders", ORDERS)
    query = stream_test.start("SELECT shop FROM orders")

    stream_test.feed("orders", [{"shop": "a"}])
    query.assertEmitted([("a",)])
    query.restart("SELECT 1 AS one, shop FROM orders")
    query.assertEmitted([])
    stream_test.feed("orders", [{"shop": "b"}])
    query.assertEmitted([(1, "b")])

    assert [row.asDict() for row in query.emitted()] == [{"shop": "a"}, {"one": 1, "shop": "b"}]
    assert 'batch 0: {"shop":"a"}\n  batch 1: {"one":1,"shop":"b"}' in query.report()


def test_clock_when_moved_then_all_times_of_the_query_follow(spark: SparkSession) -> None:
    with StreamTest(spark, now=datetime(2026, 3, 29, 0, 59)) as test:
        query = test.start(test.input("orders", ORDERS).select(F.current_timestamp().alias("now")))
        test.advance(timedelta(seconds=61))
        test.feed("orders", [{"shop": "a"}])

        query.assertEmitted([("2026-03-29 01:00:01",)])
        assert test.now == datetime(2026, 3, 29, 1, 0, 1, tzinfo=timezone.utc)


def test_rows_when_others_are_expected_then_says_why(
    stream_test: StreamTest, capsys: pytest.CaptureFixture[str]
) -> None:
    query = started(stream_test)
    stream_test.feed("orders", [("2026-01-01 12:00:10", "a"), ("2026-01-01 12:05:10", "b")])

    with pytest.raises(AssertionError) as failed:
        query.assertEmitted([("12:00", 1)])

    shown = str(failed.value)
    query.explainTime()
    head = 'expected.\n\nMissing:\n  {"minute":"12:00","count":1}\n\nUnexpected: nothing\n\nEmitted'
    assert head in shown
    assert "\n  orders: 2026-01-01T12:00:05Z\n" in shown
    assert "`orders` waits for `a`" in shown
    assert shown.endswith(capsys.readouterr().out.rstrip("\n"))
    assert query.watermark("aggregate") == query.watermark("orders")


def test_assertion_when_it_fails_in_a_with_block_then_has_a_note(spark: SparkSession) -> None:
    with pytest.raises(AssertionError) as failed, StreamTest(spark) as test:
        started(test)
        raise AssertionError("mine")

    notes = getattr(failed.value, "__notes__", [""])
    if sys.version_info >= (3, 11):
        assert notes[0].startswith("The clock of the test is at 2026-01-01T12:00:00Z.")


def test_plug_in_when_a_test_fails_then_shows_each_query_once(stream_test: StreamTest) -> None:
    query = started(stream_test)
    (title, shown), *more = pytest_tidegate.sections(stream_test, AssertionError("mine"))

    with pytest.raises(AssertionError) as failed:
        query.assertEmitted([("12:00", 1)])

    assert (title, shown, more) == ("stream_test", stream_test.report(), [])
    assert "`orders` has no time yet" in shown
    assert pytest_tidegate.sections(stream_test, failed.value) == []


def test_plug_in_when_no_test_asks_for_it_then_brings_no_spark(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(
        "import sys\ndef test_mine():\n    assert 'pyspark' not in sys.modules\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, tmp_path],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout


def test_query_when_it_fails_then_feed_raises_its_error(stream_test: StreamTest) -> None:
    orders = stream_test.input("orders", ORDERS)
    query = stream_test.start(orders.select(F.raise_error(F.lit("a fault")).alias("x")))

    with pytest.raises(StreamingQueryException, match="a fault"):
        stream_test.feed("orders", [{"shop": "a"}])

    assert "has failed" not in query.report()


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda test: test.feed("order", []),
            AnalysisException,
            "The test has no input `order`. Its inputs: `orders`. Make it with input('order', "
            "schema) before you feed it.",
        ),
        (
            lambda test: test.feed("orders", [{"shp": "a"}]),
            AnalysisException,
            "The input `orders` has no column `shp`. Name one of its columns: `time`, `shop`.",
        ),
        (
            lambda test: test.feed("orders", [("a",)]),
            ValueError,
            "rows of orders must have a value for each of time, shop, found ('a',).",
        ),
        (
            lambda test: test.feed("orders", {"shop": "a"}),
            TypeError,
            "rows of orders must be a list of dicts, Rows or tuples, or a DataFrame, found dict: "
            "{'shop': 'a'}.",
        ),
        (
            lambda test: test.feed("orders"),
            TypeError,
            'feed needs an input and its rows, as in feed("orders", [(1, "a")]).',
        ),
        (
            lambda test: test.start(3),
            TypeError,
            "query must be a pyspark.sql.DataFrame, SQL (a str) or a function that returns a "
            "DataFrame, found int: 3.",
        ),
        (
            lambda test: test.advance("5s"),
            AnalysisException,
            "duration",
        ),
        (
            lambda test: test.start("SELECT 1", outputMode="apend"),
            ValueError,
            "outputMode must be one of append, update, complete, found 'apend'.",
        ),
        (
            lambda test: type(test)("spark"),
            TypeError,
            "spark must be a pyspark.sql.SparkSession, found str: 'spark'.",
        ),
    ],
)
def test_argument_when_it_cannot_be_then_says_so(
    stream_test: StreamTest,
    call: Callable[[Any], None],
    error: type[Exception],
    sentence: str,
) -> None:
    stream_test.input("orders", ORDERS)

    with pytest.raises(error) as refused:
        call(stream_test)

    assert sentence in str(refused.value)
