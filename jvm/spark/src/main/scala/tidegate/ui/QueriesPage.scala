package tidegate.ui

import scala.xml.Node

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JArray, JValue}
import tidegate.clock.{KnownQueries, SeenQuery}
import tidegate.ui.Elements._

/** The first page of the tab: all queries of the application that have keyed watermarks. */
private[ui] object QueriesPage extends UiPage {

  override def path: String = ""

  override def title: String = "Event time"

  override def html(request: UiRequest): Seq[Node] = page(request) {
    val queries = KnownQueries.everywhere
    if (queries.isEmpty) <p>No query with a keyed watermark has run in this application.</p>
    else
      sortable(
        "queries",
        "Query",
        "State",
        "Watermarks",
        "Lowest",
        "Behind the clock",
        "Late rows"
      )(
        queries.map(row(request, _))
      )
  }

  private def row(request: UiRequest, query: SeenQuery): Seq[Cell] = {
    val marks = query.view.clock.nodes.values.toSeq
    val lowest = marks.flatMap(_.mark.watermarkMs).minOption
    val late = query.sight.situation.lateRows.values.map(_.inAll).sum
    Seq(
      Cell(link(request, query), query.ids.label),
      Cell(state(query)),
      Cell(marks.size.toLong),
      time(lowest),
      lag(lowest, query.sight.situation.nowMs),
      Cell(late)
    )
  }

  private def link(request: UiRequest, query: SeenQuery): Seq[Node] =
    <a href={request.link(s"/${EventTimeUi.Prefix}/query/?run=${query.ids.runId}")}>{
      query.ids.label
    }</a>

  override def json(request: UiRequest): JValue =
    JArray(KnownQueries.everywhere.toList.map(QueryJson.head))
}
