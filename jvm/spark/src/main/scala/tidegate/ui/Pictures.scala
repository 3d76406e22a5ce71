package tidegate.ui

import scala.xml.{Node, NodeSeq}

import tidegate.core.figures.QueryFigures
import tidegate.ui.Elements._

/**
 * What each operator waits for: boxes for the substreams that hold time, for watermarks, and for
 * operators, with lines between them. A box is a link to its row.
 */
private[ui] object FlowGraph {
  private val (boxWidth, boxHeight, gapX, gapY) = (240, 44, 90, 14)

  /**
   * @param below
   *   its second line
   * @param target
   *   the id of the place that it is a link to
   */
  private final case class Box(
      name: String,
      below: String,
      target: String,
      x: Int,
      y: Int,
      kind: String
  ) {
    def out: (Int, Int) = (x + boxWidth, y + boxHeight / 2)
    def in: (Int, Int) = (x, y + boxHeight / 2)
  }

  def svg(run: QueryFigures): NodeSeq = {
    val watermarks = run.watermarks.toSeq.zipWithIndex.map { case ((name, w), i) =>
      w -> box(1, i, "watermark", name, at(w.watermarkMs), substreamsId(name))
    }
    val holders = watermarks.zipWithIndex.flatMap { case ((w, to), i) =>
      // An undivided stream does not hold itself back.
      w.heldBackBy.filter(_ => w.heldBackMs > 0 || w.unreadSubstreams > 0).map { held =>
        val behind =
          if (w.heldBackMs > 0) s"${spanText(w.heldBackMs)} behind" else "has rows to be read"
        box(0, i, "substream", held, behind, holderId(to.name)) -> to
      }
    }
    val operators = run.operators.toSeq.zipWithIndex.map { case ((name, o), i) =>
      o -> box(2, i, "operator", name, at(o.watermarkMs), operatorId(name))
    }
    val byName = watermarks.map { case (_, drawn) => drawn.name -> drawn }.toMap
    val rows = operators.flatMap { case (o, to) =>
      byName.get(o.heldBackBy).map(line(_, to, "tg-flow"))
    }
    val states = operators.flatMap { case (o, to) =>
      o.evictionHeldBackBy
        .filter(_ != o.heldBackBy)
        .flatMap(byName.get)
        .map(line(_, to, "tg-flow tg-of-state"))
    }
    val height = gapY + math.max(watermarks.size, operators.size) * (boxHeight + gapY)
    <div class="tg-scroll"><svg id="tg-flow" viewBox={
      s"0 0 ${3 * boxWidth + 2 * gapX} $height"
    } role="img" aria-label={
      operators.map { case (o, drawn) => s"${drawn.name} waits for ${o.heldBackBy}" }.mkString(", ")
    }>
      {holders.map { case (holder, to) => line(holder, to, "tg-flow") }}
      {rows}
      {states}
      {(holders.map(_._1) ++ watermarks.map(_._2) ++ operators.map(_._2)).map(draw)}
    </svg></div>
  }

  private def at(ms: Option[Long]): String = time(ms).content.map(_.text).mkString

  private def box(
      column: Int,
      row: Int,
      kind: String,
      name: String,
      below: String,
      target: String
  ): Box =
    Box(name, below, target, column * (boxWidth + gapX), gapY + row * (boxHeight + gapY), kind)

  private def draw(box: Box): Node =
    <a href={s"#${box.target}"}>
      <rect class={s"tg-box tg-${box.kind}"} x={s"${box.x}"} y={s"${box.y}"} width={
      s"$boxWidth"
    } height={
      s"$boxHeight"
    } rx="4"/>
      {text(box, 18, cut(box.name))}
      {text(box, 35, box.below)}
      <title>{s"${box.kind} ${box.name}"}</title>
    </a>

  private def text(box: Box, down: Int, content: String): Node =
    <text class="tg-label" x={s"${box.x + boxWidth / 2}"} y={
      s"${box.y + down}"
    } text-anchor="middle">{content}</text>

  private def line(from: Box, to: Box, kind: String): Node = {
    val ((x1, y1), (x2, y2)) = (from.out, to.in)
    <line class={kind} x1={s"$x1"} y1={s"$y1"} x2={s"$x2"} y2={s"$y2"}/>
  }

  private def cut(name: String): String = if (name.length <= 30) name else s"${name.take(29)}…"
}

/** How many spans of time are of which length. */
private[ui] object Histogram {
  private val (width, barHeight, left) = (600, 18, 160)

  /** The upper ends of the bars, in ms, but for the last. */
  private val Ends = Seq(0L, 1000L, 10000L, 60000L, 600000L, 3600000L, 86400000L)

  /** @param spans in ms */
  def svg(spans: Seq[Long]): NodeSeq = {
    val counts = spans.groupMapReduce(span => Ends.indexWhere(span <= _))(_ => 1)(_ + _)
    val bars = (Ends.indices :+ -1).map(i => label(i) -> counts.getOrElse(i, 0))
    val most = math.max(1, bars.map(_._2).max)
    <svg class="tg-histogram" viewBox={
      s"0 0 $width ${bars.size * barHeight}"
    } role="img" aria-label={
      bars.filter(_._2 > 0).map { case (name, n) => s"$name: $n" }.mkString(", ")
    }>{
      bars.zipWithIndex.map { case ((name, n), i) =>
        val y = i * barHeight
        val bar = (width - left - 80) * n / most
        <g>
          <text class="tg-label" x={s"${left - 6}"} y={s"${y + 13}"} text-anchor="end">{name}</text>
          <rect class="tg-bar" x={s"$left"} y={s"${y + 2}"} width={s"$bar"} height={
          s"${barHeight - 4}"
        }/>
          <text class="tg-label" x={s"${left + bar + 6}"} y={s"${y + 13}"}>{f"$n%,d"}</text>
        </g>
      }
    }</svg>
  }

  private def label(i: Int): String =
    if (i < 0) s"above ${spanText(Ends.last)}"
    else if (i == 0) "not behind"
    else s"up to ${spanText(Ends(i))}"
}
