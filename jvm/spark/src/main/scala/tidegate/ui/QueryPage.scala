package tidegate.ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JNull, JValue}
import tidegate.ui.Elements._

/**
 * The page of one run of a query: its time in sentences and as a picture, what holds time, its
 * operators, and what happened.
 */
private[ui] final class QueryPage(runs: Runs) extends UiPage {

  override def path: String = "query"

  override def title: String = "Event time of a query"

  override def html(request: UiRequest): Seq[Node] = page(request) {
    asked(request).fold[NodeSeq](
      <p>{runs.unknown}: {
        request.parameter("run").filter(_.nonEmpty).getOrElse("none was asked for")
      }. <a href={request.link(s"/${EventTimeUi.Prefix}/")}>All queries</a></p>
    )(of)
  }

  override def json(request: UiRequest): JValue = asked(request).fold[JValue](JNull)(QueryJson.all)

  private def asked(request: UiRequest): Option[RunPicture] =
    request.parameter("run").flatMap(runs.run)

  private def of(run: RunPicture): NodeSeq =
    <h4>{run.ids.label}</h4> ++
      <p class="tg-ids">query {run.ids.id}, run {run.ids.runId}, {run.state}</p> ++
      run.explanation.map(text =>
        section("What holds what back")(<pre id="tg-explanation">{text}</pre>)
      ) ++
      section("Watermarks over time")(TimeChart.svg(run.batches)) ++
      section("From watermarks to operators")(FlowGraph.svg(run)) ++
      section("Operators")(OperatorTable.html(run)) ++
      run.watermarks.map(w =>
        section(s"Substreams of ${w.name}")(SubstreamTable.html(w, run.atMs))
      ) ++
      section("What happened")(events(run))

  private def section(title: String)(content: NodeSeq): Node =
    <section><h5>{title}</h5>{content}</section>

  private def events(run: RunPicture): NodeSeq = {
    val rows = run.events.reverse.map { e =>
      Seq(time(Some(e.atMs)), Cell(e.kind), Cell(e.name), Cell(e.text))
    }
    if (rows.isEmpty) <p>Nothing yet.</p>
    else sortable("tg-events", "When", "Kind", "Name", "What")(rows)
  }
}
