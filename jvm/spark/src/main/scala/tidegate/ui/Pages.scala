package tidegate.ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JArray, JNull, JValue}
import tidegate.core.figures.{Explanation, FiguresJson, QueryFigures}
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

  private def row(request: UiRequest, run: QueryFigures): Seq[Cell] = Seq(
    Cell(link(request, run), run.ids.label),
    Cell(run.state.label),
    Cell(run.watermarks.size.toLong),
    time(run.lowestMs),
    lag(run.lowestMs, run.atMs),
    Cell(run.operators.values.map(_.lateRows.inAll).sum)
  )

  private def link(request: UiRequest, run: QueryFigures): Seq[Node] =
    <a href={request.link(s"/${Prefix}/query/?run=${run.ids.runId}")}>{
      run.ids.label
    }</a>

  override def json(request: UiRequest): JValue = JArray(runs.all.toList.map(FiguresJson.head))
}

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
      }. <a href={request.link(s"/${Prefix}/")}>All queries</a></p>
    )(of)
  }

  override def json(request: UiRequest): JValue =
    asked(request).fold[JValue](JNull)(FiguresJson.of(_))

  private def asked(request: UiRequest): Option[QueryFigures] =
    request.parameter("run").flatMap(runs.run)

  private def of(run: QueryFigures): NodeSeq =
    <h4>{run.ids.label}</h4> ++
      <p class="tg-ids">query {run.ids.id}, run {run.ids.runId}, {run.state.label}</p> ++
      Option.when(run.isDetailed)(
        section("What holds what back")(<pre id="tg-explanation">{Explanation.of(run)}</pre>)
      ) ++
      section("Watermarks over time")(TimeChart.svg(run.batches)) ++
      section("From watermarks to operators")(FlowGraph.svg(run)) ++
      section("Operators")(OperatorTable.html(run)) ++
      run.watermarks.toSeq.map { case (name, w) =>
        section(s"Substreams of $name")(SubstreamTable.html(name, w, run.atMs))
      } ++
      section("What happened")(events(run))

  private def section(title: String)(content: NodeSeq): Node =
    <section><h5>{title}</h5>{content}</section>

  private def events(run: QueryFigures): NodeSeq = {
    val rows = run.events.reverse.map { e =>
      Seq(time(Some(e.atMs)), Cell(e.kind), Cell(e.name), Cell(e.text))
    }
    if (rows.isEmpty) <p>Nothing yet.</p>
    else sortable("tg-events", "When", "Kind", "Name", "What")(rows)
  }
}
