package tidegate
package ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.{LoggedQuery, TestQueries, UiRequest}
import org.json4s.JsonAST.{JArray, JNull, JString}
import org.json4s.jackson.JsonMethods.compact

/** What the pages of the tab "Event time" show of queries; without a server. */
class EventTimePagesSuite extends KeyedStreamTest {

  private def asked(run: String*): UiRequest =
    UiRequest(name => run.headOption.filter(_ => name == "run"), path => s"/proxy$path")

  private val queriesPage = new QueriesPage(KnownRuns)
  private val queryPage = new QueryPage(KnownRuns)

  private def counts(rows: DataFrame): DataFrame = rows
    .withKeyedWatermark("time", "2 seconds", substream = Seq("sub"), name = "orders")
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def page(run: Run): NodeSeq = queryPage.html(asked(run.query.runId.toString))

  private def byId(page: NodeSeq, id: String): Node =
    (page \\ "_").find(_ \@ "id" == id).getOrElse(fail(s"no element has the id $id"))

  /** The texts of the cells of a table, row by row. */
  private def rows(page: NodeSeq, id: String): Seq[Seq[String]] =
    (byId(page, id) \ "tbody" \ "tr").map(row => (row \ "td").map(_.text))

  test("a lagging substream: sentences, lines, tables and events; the same after a restart") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 10), event("b", 10))
    run.settle()
    in.addData(event("a", 100))
    run.settle()
    in.addData(event("b", 1, 2))
    run.settle()
    def check(): Unit = {
      val found = page(run)
      assert(byId(found, "tg-explanation").text.contains("`orders`"))
      assert(
        rows(found, "substreams-orders").map(_.take(4)) === Seq(
          Seq("b holds time back", "1970-01-01T00:00:08Z", "1 min 30 s", "counts"),
          Seq("a", "1970-01-01T00:01:38Z", "0 s", "counts")
        )
      )
      val Seq(operator) = rows(found, "tg-operators"): @unchecked
      assert(operator.take(2) === Seq("aggregate", "1970-01-01T00:00:08Z"))
      assert(operator(3) === "orders: b")
      assert((byId(found, "tg-operators") \\ "a").map(_ \@ "href").last === "#holder-orders")
      assert(byId(found, "holder-orders").text === "b holds time back")
      assert(found.text.contains("2 count, 0 are idle and left out."))
      assert(byId(found, "tg-flow").text.contains("1 min 30 s behind"))
      assert((byId(found, "tg-flow") \@ "aria-label") === "aggregate waits for orders")
      val Seq(watermark) = rows(found, "tg-watermarks"): @unchecked
      val verdict = if (run.query.isActive) "waiting" else "ended"
      assert((byId(found, "tg-content") \\ "h4").text.endsWith(verdict))
      assert(watermark.take(3) === Seq("orders", "waiting", "b"))
      assert(watermark.drop(6) === Seq("1970-01-01T00:00:08Z", "2", "0"))
      assert(
        rows(found, "tg-settings").take(2) === Seq(
          Seq("lag", "2 s"),
          Seq("policy", "fixedLag(lag 2 s)")
        )
      )
      assert(
        (found \\ "a")
          .map(_ \@ "href")
          .exists(_.startsWith("/proxy/StreamingQuery/statistics/?id="))
      )
    }
    check()
    val Seq(operator) = rows(page(run), "tg-operators"): @unchecked
    val bytes = run.query.recentProgress.last.stateOperators.head.memoryUsedBytes
    // There are no keys: a row for each window.
    assert(
      operator.drop(6) ===
        Seq("1970-01-01T00:00:10Z", "3", Elements.bytes(bytes), "0", "0", "0.00 %", "0", "0")
    )
    // The watermark, both substreams that time has waited for, and the newest.
    assert((byId(page(run), "tg-chart") \\ "polyline").size === 4)
    assert((byId(page(run), "tg-chart") \@ "aria-label").startsWith("Watermarks from "))
    assert(rows(page(run), "tg-events").exists(_(1) == "new"))
    run.restart()
    run.settle()
    check()
    assert(page(run).text.contains("No batch with a watermark has ended in this run yet."))
    assert(rows(page(run), "tg-events").exists(_(1) == "restarted"))
    val ended = run.query.runId.toString
    run.stop()
    assert(page(run).text.contains("ended"))
    check()
    val queries = queriesPage.html(asked())
    val Seq(last) =
      rows(queries, "queries").filter(_.head == run.query.id.toString).take(1): @unchecked
    assert(last(1) === "ended" && last(8) === "ended")
    assert((queries \\ "a").exists(_ \@ "href" == s"/proxy/EventTime/query/?run=$ended"))
  }

  test("an undivided stream: the sentence and the table say that nothing holds it back") {
    val in = events()
    val run = new Run(
      in.toDF()
        .withKeyedWatermark("time", "2 seconds", name = "orders")
        .groupBy(window(col("time"), "10 seconds"))
        .count()
    ).start()
    in.addData(event("a", 10))
    run.settle()
    in.addData(event("a", 100))
    run.settle()
    val found = page(run)
    assert(byId(found, "tg-verdict").text.startsWith("Nothing holds `orders` back"))
    assert(rows(found, "tg-watermarks").map(_.slice(1, 3)) === Seq(Seq("moving", "nobody")))
    assert(rows(found, "substreams-orders").map(_.head) === Seq("*"))
    assert(!found.text.contains("holds time back"))
    assert((byId(found, "tg-chart") \\ "polyline").size === 1)
    val Seq(query) = rows(queriesPage.html(asked()), "queries")
      .filter(_.head == run.query.id.toString): @unchecked
    assert(query.slice(1, 4) === Seq("moving", "nobody", "–"))
  }

  test("hundreds of substreams: the slowest twenty, and a histogram of the others") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData((0 until 300).map(i => event(f"s$i%03d", 1000.0 + i)))
    run.settle()
    val found = page(run)
    assert(
      rows(found, "substreams-orders").map(_.head.take(4)) === (0 until 20).map(i => f"s$i%03d")
    )
    val histogram = (found \\ "svg").find(_ \@ "class" == "tg-histogram").get
    assert(
      (histogram \@ "aria-label") ===
        "not behind: 1, up to 1 s: 1, up to 10 s: 9, up to 1 min: 50, up to 10 min: 219"
    )
    assert(found.text.contains("The 20 slowest of 300 substreams, those that count first."))
  }

  test("names are texts, whatever signs they have") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("<script>alert(1)</script>", 10))
    run.settle()
    val html = page(run).toString
    assert(!html.contains("<script>alert"))
    assert(html.contains("&lt;script&gt;alert(1)"))
  }

  test("as JSON") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 10))
    run.settle()
    val json = queryPage.json(asked(run.query.runId.toString))
    assert((json \ "state") === JString("running"))
    assert((json \ "explanation").values.toString.contains("`orders`"))
    val substream = json \ "watermarks" \ "orders" \ "substreams" \ "a"
    assert(compact(substream \ "watermark") === "8000")
    assert(compact(substream \ "idle") === "false")
    assert(compact(substream \ "unread") === "false")
    assert((substream \ "newAt") === (substream \ "activeAt"))
    val operator = json \ "watermarks" \ "aggregate"
    assert(compact(operator \ "stateRows") === "1")
    assert(compact(operator \ "nextWindowEnd") === "10000")
    assert((json \ "batches").children.nonEmpty)
    assert((json \ "verdict" \ "kind") === JString("moving"))
    val orders = json \ "watermarks" \ "orders"
    assert((orders \ "verdict") === (json \ "verdict"))
    assert(compact(orders \ "settings" \ "policyMs") === """{"lag":2000}""")
    assert(
      compact((json \ "batches")(0) \ "watermarks" \ "orders" \ "holders") === """{"a":8000}"""
    )
    assert((json \ "events").children.map(_ \ "kind").contains(JString("new")))
    val all = queriesPage.json(asked()).asInstanceOf[JArray].arr
    assert(all.exists(_ \ "runId" == JString(run.query.runId.toString)))
  }

  test("a run that nobody knows, and none: a sentence and a way back") {
    val unknown = queryPage.html(asked("nobody"))
    assert(unknown.text.contains("No query has had this run in this application"))
    assert(unknown.text.contains("nobody"))
    assert((unknown \\ "a").map(_ \@ "href") === Seq("/proxy/EventTime/"))
    assert(queryPage.html(asked()).text.contains("none was asked for"))
  }

  test("an application that has ended: the page from what its event log says of the batches") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData(event("a", 10), event("b", 10))
    run.settle()
    in.addData(event("a", 100), event("b", 20))
    run.settle()
    in.addData(event("b", 1))
    run.settle()
    def logged(endedAtMs: Option[Long], hasFailed: Boolean) = LoggedQuery(
      Some("hourly"),
      run.query.id,
      run.query.runId,
      endedAtMs,
      hasFailed,
      run.query.recentProgress.toSeq.map(TestQueries.logged)
    )
    val query = logged(Some(run.clock.getTimeMillis() + 5000), hasFailed = false)
    assert(LoggedRuns.isKeyed(query))
    val page = new QueryPage(new LoggedRuns(() => Seq(query)))
    val found: NodeSeq = page.html(asked(run.query.runId.toString))
    assert(found.text.contains(s"run ${run.query.runId}, ended"))
    val live: NodeSeq = queryPage.html(asked(run.query.runId.toString))
    // The clock behind it is that of the end.
    def times(page: NodeSeq) = rows(page, "tg-operators").map(_.patch(2, Nil, 1))
    assert(times(found) === times(live))
    assert(byId(found, "tg-flow").text === byId(live, "tg-flow").text)
    assert(rows(found, "tg-events") === rows(live, "tg-events"))
    assert(byId(found, "tg-chart").toString === byId(live, "tg-chart").toString)
    assert((byId(found, "tg-chart") \\ "rect").map(_ \@ "class") === Seq("tg-late"))
    val late = Seq("1", "17 s", "17 s")
    assert(
      rows(found, "tg-lateness") ===
        Seq(Seq("aggregate", "all") ++ late, Seq("aggregate", "b") ++ late)
    )
    assert(rows(found, "tg-lateness") === rows(live, "tg-lateness"))
    assert(byId(found, "holder-orders").text.contains("time waited for b, 1 min 20 s behind"))
    assert(found.text.contains("2 count, 0 are idle and left out."))
    val json = page.json(asked(run.query.runId.toString))
    assert((json \ "batches") === (queryPage.json(asked(run.query.runId.toString)) \ "batches"))
    assert((json \ "watermarks" \ "orders" \ "substreams") === JNull)
    def states(q: LoggedQuery) =
      rows(new QueriesPage(new LoggedRuns(() => Seq(q))).html(asked()), "queries").map(row =>
        Seq(row.head, row(8))
      )
    assert(states(query) === Seq(Seq("hourly", "ended")))
    assert(states(logged(None, hasFailed = false)) === Seq(Seq("hourly", "not ended")))
    assert(states(logged(Some(1), hasFailed = true)) === Seq(Seq("hourly", "failed")))
    val unknown: NodeSeq = page.html(asked("nobody"))
    assert(unknown.text.contains("The event log has no batch of this run: nobody"))
  }

  test("queries without keyed watermarks are not in the history") {
    val in = events()
    val run = new Run(in.toDF()).start()
    in.addData(event("a", 10))
    run.settle()
    val query =
      LoggedQuery(None, run.query.id, run.query.runId, None, false, run.query.recentProgress.toSeq)
    assert(query.progress.nonEmpty)
    assert(!LoggedRuns.isKeyed(query))
    assert(new LoggedRuns(() => Seq(query)).all === Nil)
  }

  test("sizes in their largest unit") {
    assert(
      Seq(0L, 1023L, 1024L, 1536L, 5L << 20, 3L << 40).map(Elements.bytes) ===
        Seq("0 B", "1023 B", "1.0 KiB", "1.5 KiB", "5.0 MiB", "3.0 TiB")
    )
  }

  test("spans of time in their two largest units") {
    val found = Seq(0L, 999L, 1250L, 61000L, 3600000L, 90061000L, -5000L).map(Elements.spanText)
    assert(found === Seq("0 s", "999 ms", "1 s", "1 min 1 s", "1 h", "1 d 1 h", "-5 s"))
  }
}
