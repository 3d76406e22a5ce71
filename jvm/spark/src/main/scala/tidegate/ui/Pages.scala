package tidegate.ui

import scala.xml.{Node, NodeSeq}

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JArray, JNull, JValue}
import tidegate.core.figures.{Explanation, FiguresJson, QueryFigures, RunState, Verdicts}
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
        "Verdict",
        "Waits for",
        "Since",
        "Catching up?",
        "Behind the clock",
        "Lowest watermark",
        "Late rows",
        "State",
        "In Spark"
      )(all.map(row(request, _)))
  }

  private def row(request: UiRequest, run: QueryFigures): Seq[Cell] = Seq(
    Cell(link(request, run), run.ids.label),
    Cell(badge(Verdicts.of(run).kind), Verdicts.of(run).kind)
  ) ++ waits(Verdicts.of(run), run.atMs) ++ Seq(
    WatermarkTable.pace(run, Verdicts.deciding(run)),
    lag(run.lowestMs, run.atMs),
    time(run.lowestMs),
    Cell(run.lateRows),
    Cell(run.state.label),
    Cell(<a href={QueryPage.inSpark(request, run)}>its page</a>, run.ids.label)
  )

  private def link(request: UiRequest, run: QueryFigures): Seq[Node] =
    <a href={request.link(s"/${Prefix}/query/?run=${run.ids.runId}")}>{
      run.ids.label
    }</a>

  override def json(request: UiRequest): JValue = JArray(runs.all.toList.map(FiguresJson.summary))
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
    )(of(request, _))
  }

  override def json(request: UiRequest): JValue =
    asked(request).fold[JValue](JNull)(FiguresJson.of(_))

  private def asked(request: UiRequest): Option[QueryFigures] =
    request.parameter("run").flatMap(runs.run)

  private def of(request: UiRequest, run: QueryFigures): NodeSeq =
    <h4>{run.ids.label} {badge(Verdicts.of(run).kind)}</h4> ++
      <p id="tg-verdict">{Verdicts.of(run).text}</p> ++
      batch(run) ++
      <p class="tg-ids">query {run.ids.id}, run {run.ids.runId}, {run.state.label}</p> ++
      links(request, run) ++
      section("Watermarks")(WatermarkTable.html(run)) ++
      Option.when(run.isDetailed)(
        section("What holds what back")(<pre id="tg-explanation">{Explanation.of(run)}</pre>)
      ) ++
      section("Over time")(TimeChart.svg(run)) ++
      section("From watermarks to operators")(FlowGraph.svg(run)) ++
      section("Operators")(OperatorTable.html(run)) ++
      section("How late late rows were")(LatenessTable.html(run)) ++
      run.watermarks.toSeq.map { case (name, w) =>
        section(s"Substreams of $name")(SubstreamTable.html(run, name, w))
      } ++
      section("Settings in force")(SettingsTable.html(run)) ++
      section("What happened")(events(run))

  /** What the figures are as of: a batch may run for long. */
  private def batch(run: QueryFigures): NodeSeq = {
    val last = run.batches.lastOption.map { b =>
      s"Batch ${b.batchId} has ended ${spanText(run.atMs - b.wallClockMs)} ago."
    }
    val now = run.batchSinceMs
      .filter(run.atMs - _ >= 1000)
      .map(ms => s"A batch has run for ${spanText(run.atMs - ms)}.")
    val said = if (run.state == RunState.Running) last ++ now else Nil
    if (said.isEmpty) NodeSeq.Empty else <p class="tg-ids">{said.mkString(" ")}</p>
  }

  private def links(request: UiRequest, run: QueryFigures): Node =
    <p class="tg-links">
      <a href={QueryPage.inSpark(request, run)}>The query in Spark</a>
      <a href={s"$Documentation/troubleshooting.md"}>Troubleshooting</a>
      <a href="#tg-settings">Settings in force</a>
      <a href={s"$Documentation/settings.md"}>All settings</a>
      <a href={request.link(s"/$Prefix/query/json/?run=${run.ids.runId}")}>JSON</a>
    </p>

  private def section(title: String)(content: NodeSeq): Node =
    <section><h5>{title}</h5>{content}</section>

  private def events(run: QueryFigures): NodeSeq = {
    val rows = run.events.reverse.map { e =>
      Seq(
        time(Some(e.atMs)),
        Cell(e.kind),
        Cell(e.name),
        Cell(<span class="tg-words">{e.text}</span>, e.text)
      )
    }
    if (rows.isEmpty) <p>Nothing yet.</p>
    else sortable("tg-events", "When", "Kind", "Name", "What")(rows)
  }
}

private[ui] object QueryPage {

  /** Spark's own page of a query. */
  def inSpark(request: UiRequest, run: QueryFigures): String =
    request.link(s"/StreamingQuery/statistics/?id=${run.ids.runId}")
}
