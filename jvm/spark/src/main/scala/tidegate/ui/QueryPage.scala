package tidegate.ui

import scala.xml.{Node, NodeSeq, Text}

import org.apache.spark.sql.tidegate.{UiPage, UiRequest}
import org.json4s.JsonAST.{JNull, JValue}
import tidegate.clock.{KnownQueries, NodeView, SeenQuery}
import tidegate.core.clock.SubstreamView
import tidegate.core.sight.Explanation
import tidegate.ui.Elements._

/**
 * The page of one run of a query: its time in sentences and as a picture, what holds time, its
 * operators, and what happened.
 */
private[ui] object QueryPage extends UiPage {

  /** So many substreams of a watermark have a row; the others are in a histogram. */
  private val Slowest = 20

  override def path: String = "query"

  override def title: String = "Event time of a query"

  override def html(request: UiRequest): Seq[Node] = page(request) {
    asked(request).fold[NodeSeq](
      <p>No query has had this run in this application, or it was too long ago: {
        request.parameter("run").filter(_.nonEmpty).getOrElse("none was asked for")
      }. <a href={request.link(s"/${EventTimeUi.Prefix}/")}>All queries</a></p>
    )(of)
  }

  override def json(request: UiRequest): JValue = asked(request).fold[JValue](JNull)(QueryJson.all)

  private def asked(request: UiRequest): Option[SeenQuery] =
    request.parameter("run").flatMap(KnownQueries.run)

  private def of(query: SeenQuery): NodeSeq =
    <h4>{query.ids.label}</h4> ++
      <p class="tg-ids">query {query.ids.id}, run {query.ids.runId}, {state(query)}</p> ++
      section("What holds what back")(<pre id="tg-explanation">{
        Explanation.of(query.sight.situation)
      }</pre>) ++
      section("Watermarks over time")(TimeChart.svg(query.sight.memory.batches)) ++
      section("From watermarks to operators")(FlowGraph.svg(query)) ++
      section("Operators")(operators(query)) ++
      query.view.clock.nodes.toSeq.sortBy(_._1).map { case (name, node) =>
        section(s"Substreams of $name")(substreams(name, node))
      } ++
      section("What happened")(events(query))

  private def section(title: String)(content: NodeSeq): Node =
    <section><h5>{title}</h5>{content}</section>

  private def operators(query: SeenQuery): NodeSeq = {
    val situation = query.sight.situation
    val rows = query.view.clock.operators.toSeq.sortBy(_._1).map { case (name, operator) =>
      val late = situation.lateRows.get(name)
      Seq(
        Cell(<span id={s"operator-$name"}>{name}</span>, name),
        time(operator.mark.watermarkMs),
        lag(operator.mark.watermarkMs, situation.nowMs),
        link(operator.heldBackBy),
        time(operator.mark.evictionMs),
        operator.evictionHeldBackBy.fold(Cell.empty)(link),
        Cell(late.fold(operator.lateRows)(_.inAll)),
        Cell(late.fold(0L)(_.inBatch))
      )
    }
    sortable(
      "tg-operators",
      "Operator",
      "Rows below are late",
      "Behind the clock",
      "Held back by",
      "State leaves below",
      "State held back by",
      "Late rows",
      "In the last batch"
    )(rows)
  }

  private def link(watermark: String): Cell =
    Cell(<a href={s"#substreams-$watermark"}>{watermark}</a>, watermark)

  private def substreams(name: String, node: NodeView): NodeSeq = {
    val newest = node.substreams.values.flatMap(_.watermarkMs).maxOption
    def behind(s: SubstreamView) = for (at <- newest; own <- s.watermarkMs) yield at - own
    // A substream without a time is the slowest of all.
    val slowestFirst = node.substreams.toSeq.sortBy { case (substream, s) =>
      (s.watermarkMs.getOrElse(Long.MinValue), substream)
    }
    val (shown, others) = slowestFirst.splitAt(Slowest)
    val rows = shown.map { case (substream, s) =>
      val holds = node.heldBackBy.contains(substream)
      Seq(
        Cell(Text(substream), substream),
        time(s.watermarkMs),
        behind(s).fold(Cell.empty)(span),
        Cell(if (s.idle) "idle, left out" else "counts"),
        Cell(if (holds) <strong>holds time back</strong> else Text(""), if (holds) "0" else "1")
      )
    }
    val table = sortable(
      s"substreams-$name",
      "Substream",
      "Own time",
      "Behind the newest",
      "State",
      "Holds time"
    )(rows)
    val rest =
      if (others.isEmpty) NodeSeq.Empty
      else
        <p>{
          f"The $Slowest%d slowest of ${node.substreams.size}%,d substreams. The others, by how far they are behind the newest:"
        }</p> ++
          Histogram.svg(others.flatMap { case (_, s) => behind(s) })
    table ++ rest
  }

  private def events(query: SeenQuery): NodeSeq = {
    val rows = query.sight.memory.events.reverse.map { e =>
      Seq(time(Some(e.atMs)), Cell(e.kind), Cell(e.name), Cell(e.text))
    }
    if (rows.isEmpty) <p>Nothing yet.</p>
    else sortable("tg-events", "When", "Kind", "Name", "What")(rows)
  }
}
