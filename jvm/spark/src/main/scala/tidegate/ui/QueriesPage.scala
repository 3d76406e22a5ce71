package tidegate.ui

import scala.xml.Node

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JArray, JValue}
import tidegate.ui.Elements._

/** The first page of the tab: all queries with keyed watermarks. */
private[ui] final class QueriesPage(runs: Runs) extends UiPage {

  override def path: String = ""

  override def title: String = "Event time"

  override def html(request: UiRequest): Seq[Node] = page(request) {
    val all = runs.all
    if (all.isEmpty) <p>{runs.none}</p>
    else
      sortable(
        "queries",
        "Query",
        "State",
        "Watermarks",
        "Lowest",
        "Behind the clock",
        "Late rows"
      )(all.map(row(request, _)))
  }

  private def row(request: UiRequest, run: RunPicture): Seq[Cell] = Seq(
    Cell(link(request, run), run.ids.label),
    Cell(run.state),
    Cell(run.watermarks.size.toLong),
    time(run.lowestMs),
    lag(run.lowestMs, run.atMs),
    Cell(run.operators.map(_.lateRows).sum)
  )

  private def link(request: UiRequest, run: RunPicture): Seq[Node] =
    <a href={request.link(s"/${EventTimeUi.Prefix}/query/?run=${run.ids.runId}")}>{
      run.ids.label
    }</a>

  override def json(request: UiRequest): JValue = JArray(runs.all.toList.map(QueryJson.head))
}
