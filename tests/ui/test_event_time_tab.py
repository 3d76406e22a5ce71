"""The tab "Event time" in a browser: lines and tables, in light and dark, by mouse and keyboard."""

import json
import re
from pathlib import Path
from threading import Event
from urllib.request import urlopen

import pytest
from browsers import keep
from playwright.sync_api import Browser, Page, expect
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import tidegate
from feeds import counts
from kafka.topics import Topics

SUBSTREAMS = 10_000


def _write(folder: Path, number: int, rows: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"shop": shop, "time": f"2026-01-01T{time}Z"}) for shop, time in rows]
    # A reader must not see half a file.
    (folder / f".{number}").write_text("\n".join(lines))
    (folder / f".{number}").rename(folder / f"{number}.json")


def _started(spark: SparkSession, folder: Path, name: str) -> StreamingQuery:
    orders = spark.readStream.schema("shop STRING, time TIMESTAMP").json(str(folder))
    keyed = orders.withKeyedWatermark(
        "time", "5 seconds", substream="shop", name="orders", idleTimeout=None
    )
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
    page.locator(f"a[href$='run={query.runId}']").click()


def test_tab_when_opened_from_the_ui_then_shows_lines_tables_and_sentences(
    page: Page, spark: SparkSession, query: StreamingQuery
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(str(spark.sparkContext.uiWebUrl))
    page.get_by_role("link", name="Event time").click()
    page.locator(f"a[href$='run={query.runId}']").click()

    expect(page.locator("h4 .tg-waiting")).to_have_text("waiting")
    verdict = page.locator("#tg-verdict")
    expect(verdict).to_contain_text("`orders` waits for `b`, which is 10 min behind the newest")
    expect(page.locator("#tg-explanation")).to_contain_text(verdict.inner_text())
    expect(page.locator("#tg-watermarks tbody tr")).to_contain_text("waiting")
    expect(page.locator("#tg-settings")).to_contain_text("fixedLag(lag 5 s)")
    expect(page.locator("#tg-lateness tbody tr").last).to_contain_text("b")
    expect(page.locator("#tg-chart .tg-late")).to_have_count(1)
    expect(page.locator("#tg-chart .tg-own")).to_have_count(1)
    expect(page.locator("#tg-flow")).to_contain_text("aggregate")
    slowest = page.locator("#substreams-orders tbody tr").first
    expect(slowest).to_contain_text("b holds time back")
    operator = page.locator("#tg-operators tbody tr")
    expect(operator).to_contain_text("aggregate")
    # From the operator to the substream that it waits for, by the keyboard.
    operator.get_by_role("link", name="b", exact=True).first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#holder-orders$"))
    expect(page.locator("#tg-events")).to_contain_text("new substreams")
    assert errors == []


def test_list_when_opened_then_says_who_holds_time_back_and_leads_to_sparks_page(
    page: Page, spark: SparkSession, query: StreamingQuery
) -> None:
    page.goto(f"{spark.sparkContext.uiWebUrl}/EventTime/")
    link = page.locator(f"a[href$='run={query.runId}']")
    line = page.locator("#queries tbody tr", has=link)
    expect(line.locator(".tg-waiting")).to_be_visible()
    expect(line.locator("td").nth(2)).to_have_text("b")
    line.get_by_role("link", name="its page").click()
    expect(page.locator("body")).to_contain_text("Streaming Query Statistics")


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_page_when_narrow_then_scrolls_pictures_and_tables_but_not_itself(
    browser: Browser, spark: SparkSession, query: StreamingQuery, width: int
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    _open(page, spark, query)
    beyond = "e => e.scrollWidth - e.clientWidth"
    assert page.locator("#tg-content").evaluate(beyond) <= 0
    page.context.close()


def test_page_when_a_substream_catches_up_then_says_so_and_draws_the_wall_clock(
    page: Page, spark: SparkSession
) -> None:
    # Shop b begins 20 minutes behind; some rows of shop c are an hour late.
    rows = spark.readStream.format("rate").option("rowsPerSecond", 30).load()
    orders = rows.selectExpr(
        "element_at(array('a', 'b', 'c'), cast(value % 3 AS INT) + 1) AS shop",
        "timestamp - make_dt_interval(0, 0, 0, CASE WHEN shop = 'b' "
        "THEN greatest(0, 1200 - value) WHEN value % 50 = 2 THEN 3600 ELSE 0 END) AS time",
    )
    keyed = orders.withKeyedWatermark("time", "5 seconds", substream="shop", name="orders")
    windows = keyed.groupBy(F.window("time", "1 minute")).count()
    query = windows.writeStream.format("noop").queryName("live").start()
    while not query.recentProgress:
        assert not query.awaitTermination(1)
    _open(page, spark, query)
    page.locator("#tg-live").check()
    caught_up = re.compile("catching up: .* event seconds per second, there in .* s")
    expect(page.locator("#tg-watermarks")).to_contain_text(caught_up, timeout=60_000)
    expect(page.locator("#tg-lateness")).to_contain_text("59 min", timeout=60_000)
    expect(page.locator("line.tg-clock").first).to_be_attached()
    keep(page, "event-time-catching-up")
    page.goto(f"{spark.sparkContext.uiWebUrl}/EventTime/")
    expect(page.locator("#queries")).to_contain_text(re.compile("catching up|up to date"))
    keep(page, "event-time-list")
    query.stop()


def test_times_when_the_browser_is_elsewhere_then_have_its_time_beside_utc(
    browser: Browser, spark: SparkSession, query: StreamingQuery
) -> None:
    page = browser.new_context(timezone_id="Europe/Berlin").new_page()
    _open(page, spark, query)
    time = page.locator("#tg-watermarks td", has_text="2026-01-01T11:51:05Z")
    expect(time).to_have_text("2026-01-01T11:51:05Z [12:51:05]")
    expect(page.locator("#tg-explanation")).to_contain_text("2026-01-01T11:51:05Z [12:51:05]")
    expect(page.locator("#tg-zone")).to_have_text("Times are in UTC, and in [ ] in Europe/Berlin.")
    page.context.close()


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
    assert found["watermarks"]["aggregate"]["lateRowsTotal"] == 1
    orders = found["watermarks"]["orders"]
    assert orders["heldBackBy"] == orders["verdict"]["waitsFor"] == "b"
    assert found["verdict"] == orders["verdict"]
    assert orders["verdict"]["text"] in found["explanation"]
    assert orders["settings"]["policyMs"] == {"lag": 5000}
    # Below the watermark, 11:51:05, by 35 s.
    late = found["watermarks"]["aggregate"]["lateness"]
    assert late["substreams"] == {"b": {"rows": 1, "p50Ms": 35000, "maxMs": 35000}}
    with urlopen(f"{spark.sparkContext.uiWebUrl}/EventTime/json/") as answer:
        listed = {line["runId"]: line for line in json.load(answer)}
    assert listed[str(query.runId)]["verdict"]["waitsFor"] == "b"
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


def test_page_when_a_kafka_query_runs_then_shows_what_is_to_be_read_and_goes_on_by_itself(
    page: Page, spark: SparkSession, topics: Topics, tmp_path: Path
) -> None:
    topic = topics.create(partitions=2)
    topics.send(topic, [("12:30:10", 0)] + [(f"12:00:{i:02}", 1) for i in range(20)])
    keyed = tidegate.withKeyedWatermark(
        topics.stream(topic, maxOffsetsPerTrigger=4),
        "time",
        "5 seconds",
        substream="partition",
        name="events",
        idleTimeout=None,
    )
    in_batch, goes_on = Event(), Event()

    def wait(rows: DataFrame, batch: int) -> None:
        rows.collect()
        if batch == 1:
            in_batch.set()
            goes_on.wait(120)

    started = counts(keyed).writeStream.foreachBatch(wait)
    query = started.option("checkpointLocation", str(tmp_path)).start()
    assert in_batch.wait(120)
    address = f"{spark.sparkContext.uiWebUrl}/EventTime/query/"
    with urlopen(f"{address}json?run={query.runId}") as answer:
        substreams = json.load(answer)["watermarks"]["events"]["substreams"]
    assert substreams["1"]["unread"] and not substreams["1"]["idle"]
    unread = substreams["1"]["unreadRows"]
    assert unread > 0

    page.goto(f"{address}?run={query.runId}")
    slowest = page.locator("#substreams-events tbody tr").first
    expect(slowest).to_contain_text("1 holds time back")
    expect(slowest.locator("td").nth(5)).to_have_text(str(unread))
    expect(page.locator("#tg-content")).to_contain_text("have rows to be read.")
    page.locator("#tg-live").check()
    goes_on.set()
    query.processAllAvailable()
    # The page fetches itself, without a reload.
    expect(slowest.locator("td").nth(5)).to_have_text("0", timeout=30_000)
    expect(page.locator("#tg-chart .tg-own")).to_have_count(1)
    expect(page.locator("#tg-live")).to_be_checked()
    query.stop()


def test_history_when_its_server_has_the_jar_then_has_the_tab(
    page: Page, spark: SparkSession, query: StreamingQuery, history: str
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    application = f"{history}/history/{spark.sparkContext.applicationId}"
    for _ in range(60):
        page.goto(f"{application}/EventTime/")
        if page.locator(f"a[href$='run={query.runId}']").count():
            break
        # The server looks at the folder once a second.
        page.wait_for_timeout(1000)
    page.locator(f"a[href$='run={query.runId}']").click()
    expect(page.locator("#tg-chart .tg-own")).to_have_count(1)
    expect(page.locator("#tg-flow")).to_contain_text("aggregate")
    expect(page.locator("#holder-orders")).to_contain_text(
        "time waited for b, 10 min behind the newest"
    )
    expect(page.locator("#tg-events")).to_contain_text("new substreams")
    table = page.locator("#tg-events")
    table.get_by_role("button", name="Kind").click()
    expect(table.locator("th", has_text="Kind")).to_have_attribute("aria-sort", "ascending")
    assert errors == []
