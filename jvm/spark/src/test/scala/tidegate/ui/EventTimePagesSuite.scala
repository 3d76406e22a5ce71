package tidegate
package ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.UiRequest
import org.json4s.JsonAST.{JArray, JString}
import org.json4s.jackson.JsonMethods.compact

/** What the pages of the tab "Event time" show of queries; without a server. */
class EventTimePagesSuite extends KeyedStreamTest {

  private def asked(run: String*): UiRequest =
    UiRequest(name => run.headOption.filter(_ => name == "run"), path => s"/proxy$path")

  private def counts(rows: DataFrame): DataFrame = rows
    .withKeyedWatermark("time", "2 seconds", substream = Seq("sub"), name = "orders")
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def page(run: Run): NodeSeq = QueryPage.html(asked(run.query.runId.toString))

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
        rows(found, "substreams-orders") === Seq(
          Seq("b", "1970-01-01T00:00:08Z", "1 min 30 s", "counts", "holds time back"),
          Seq("a", "1970-01-01T00:01:38Z", "0 ms", "counts", "")
        )
      )
      assert(
        rows(found, "tg-operators").map(_.take(4).patch(2, Nil, 1)) === Seq(
          Seq("aggregate", "1970-01-01T00:00:08Z", "orders")
        )
      )
      assert(byId(found, "tg-flow").text.contains("aggregate"))
      assert((byId(found, "tg-flow") \@ "aria-label") === "aggregate waits for orders")
    }
    check()
    assert((byId(page(run), "tg-chart") \\ "polyline").size === 1)
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
    val queries = QueriesPage.html(asked())
    val Seq(last) =
      rows(queries, "queries").filter(_.head == run.query.id.toString).take(1): @unchecked
    assert(last(1) === "ended")
    assert((queries \\ "a").exists(_ \@ "href" == s"/proxy/EventTime/query/?run=$ended"))
  }

  test("hundreds of substreams: the slowest twenty, and a histogram of the others") {
    val in = events()
    val run = new Run(counts(in.toDF())).start()
    in.addData((0 until 300).map(i => event(f"s$i%03d", 1000.0 + i)))
    run.settle()
    val found = page(run)
    assert(rows(found, "substreams-orders").map(_.head) === (0 until 20).map(i => f"s$i%03d"))
    val histogram = (found \\ "svg").find(_ \@ "class" == "tg-histogram").get
    assert(
      (histogram \@ "aria-label") ===
        "not behind: 1, up to 1 s: 1, up to 10 s: 9, up to 1 min: 50, up to 10 min: 219"
    )
    assert(found.text.contains("The 20 slowest of 300 substreams."))
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
    val json = QueryPage.json(asked(run.query.runId.toString))
    assert((json \ "state") === JString("running"))
    assert((json \ "explanation").values.toString.contains("`orders`"))
    assert(
      compact(json \ "watermarks" \ "orders" \ "substreams" \ "a") ===
        """{"watermark":8000,"idle":false}"""
    )
    assert((json \ "batches").children.nonEmpty)
    assert((json \ "events").children.map(_ \ "kind").contains(JString("new")))
    val all = QueriesPage.json(asked()).asInstanceOf[JArray].arr
    assert(all.exists(_ \ "runId" == JString(run.query.runId.toString)))
  }

  test("a run that nobody knows, and none: a sentence and a way back") {
    val unknown = QueryPage.html(asked("nobody"))
    assert(unknown.text.contains("No query has had this run in this application"))
    assert(unknown.text.contains("nobody"))
    assert((unknown \\ "a").map(_ \@ "href") === Seq("/proxy/EventTime/"))
    assert(QueryPage.html(asked()).text.contains("none was asked for"))
  }

  test("spans of time in their two largest units") {
    val found = Seq(0L, 999L, 1000L, 61000L, 3600000L, 90061000L, -5000L).map(Elements.spanText)
    assert(found === Seq("0 ms", "999 ms", "1 s", "1 min 1 s", "1 h", "1 d 1 h", "-5 s"))
  }
}
