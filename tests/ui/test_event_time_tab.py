"""The tab "Event time" in a browser: lines and tables, in light and dark, by mouse and keyboard."""

import json
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

SUBSTREAMS = 10_000


def _write(folder: Path, number: int, rows: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"shop": shop, "time": f"2026-01-01T{time}Z"}) for shop, time in rows]
    # A reader must not see half a file.
    (folder / f".{number}").write_text("\n".join(lines))
    (folder / f".{number}").rename(folder / f"{number}.json")


def _started(spark: SparkSession, folder: Path, name: str) -> StreamingQuery:
    orders = spark.readStream.schema("shop STRING, time TIMESTAMP").json(str(folder))
    keyed = orders.withKeyedWatermark("time", "5 seconds", substream="shop", name="orders")
    counts = keyed.groupBy(F.window("time", "1 minute")).count()
    return counts.writeStream.format("noop").queryName(name).start()


@pytest.fixture(scope="module")
def query(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> StreamingQuery:
    """Run a query on two shops, of which b is ten minutes behind, and a row is late."""
    folder = tmp_path_factory.mktemp("orders")
    _write(folder, 1, [("a", "11:51:10"), ("b", "11:51:10")])
    query = _started(spark, folder, "by_minute")
    query.processAllAvailable()
    _write(folder, 2, [("a", "12:01:10"), ("b", "11:51:20")])
    query.processAllAvailable()
    _write(folder, 3, [("b", "11:50:30"), ("a", "12:01:20")])
    query.processAllAvailable()
    return query


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, spark: SparkSession) -> Page:
    """Open the first page of the tab as a user whose system is light, or dark."""
    page = browser.new_context(color_scheme=request.param).new_page()
    request.addfinalizer(page.context.close)
    return page


def _open(page: Page, spark: SparkSession, query: StreamingQuery) -> None:
    address = spark.sparkContext.uiWebUrl
    assert address is not None
    page.goto(f"{address}/EventTime/")
    page.locator(f"a[href$='{query.runId}']").click()


def test_tab_when_opened_from_the_ui_then_shows_lines_tables_and_sentences(
    page: Page, spark: SparkSession, query: StreamingQuery
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(str(spark.sparkContext.uiWebUrl))
    page.get_by_role("link", name="Event time").click()
    page.locator(f"a[href$='{query.runId}']").click()

    expect(page.locator("#tg-explanation")).to_contain_text("`orders`")
    expect(page.locator("#tg-chart polyline")).to_have_count(1)
    expect(page.locator("#tg-flow")).to_contain_text("aggregate")
    slowest = page.locator("#substreams-orders tbody tr").first
    expect(slowest).to_contain_text("b")
    expect(slowest).to_contain_text("holds time back")
    expect(page.locator("#tg-operators tbody tr")).to_contain_text("aggregate")
    expect(page.locator("#tg-events")).to_contain_text("new substreams")
    assert errors == []


def test_table_when_its_head_is_clicked_or_gets_the_enter_key_then_is_sorted(
    page: Page, spark: SparkSession, query: StreamingQuery
) -> None:
    _open(page, spark, query)
    table = page.locator("#substreams-orders")
    first = table.locator("tbody tr").first
    head = table.get_by_role("button", name="Behind the newest")
    head.click()
    expect(first).to_contain_text("a")
    head.focus()
    page.keyboard.press("Enter")
    expect(first).to_contain_text("b")
    expect(table.locator("th", has_text="Behind the newest")).to_have_attribute(
        "aria-sort", "descending"
    )


def test_json_when_asked_then_has_what_the_page_shows(
    spark: SparkSession, query: StreamingQuery
) -> None:
    address = f"{spark.sparkContext.uiWebUrl}/EventTime/query/json?run={query.runId}"
    with urlopen(address) as answer:
        found = json.load(answer)
    assert found["name"] == "by_minute"
    assert found["watermarks"]["aggregate"]["lateRows"] == 1
    assert found["watermarks"]["orders"]["heldBackBy"] == "b"
    assert found["batches"]


def test_page_when_there_are_ten_thousand_substreams_then_has_twenty_rows_and_a_histogram(
    page: Page, spark: SparkSession, tmp_path: Path
) -> None:
    _write(tmp_path, 1, [(f"shop-{i:05}", f"12:{i % 60:02}:00") for i in range(SUBSTREAMS)])
    query = _started(spark, tmp_path, "many")
    query.processAllAvailable()
    _open(page, spark, query)
    expect(page.locator("#substreams-orders tbody tr")).to_have_count(20)
    expect(page.locator(".tg-histogram")).to_have_count(1)
    expect(page.locator("#tg-content")).to_contain_text("The 20 slowest of 10,000 substreams")
    query.stop()
