package tidegate.ui

import scala.xml.{Node, NodeSeq}

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

  def svg(run: RunPicture): NodeSeq = {
    val watermarks = run.watermarks.zipWithIndex.map { case (w, i) =>
      box(1, i, "watermark", w.name, at(w.mark.watermarkMs), s"substreams-${w.name}")
    }
    val holders = run.watermarks.zip(watermarks).zipWithIndex.flatMap { case ((w, to), i) =>
      w.heldBackBy.map { held =>
        val behind =
          if (w.heldBackMs > 0) s"${Elements.spanText(w.heldBackMs)} behind" else "not behind"
        box(0, i, "substream", held, behind, SubstreamTable.holderId(w.name)) -> to
      }
    }
    val operators = run.operators.zipWithIndex.map { case (o, i) =>
      box(2, i, "operator", o.name, at(o.mark.watermarkMs), s"operator-${o.name}")
    }
    val byName = watermarks.map(box => box.name -> box).toMap
    val rows = run.operators.zip(operators).flatMap { case (o, to) =>
      byName.get(o.heldBackBy).map(line(_, to, "tg-flow"))
    }
    val states = run.operators.zip(operators).flatMap { case (o, to) =>
      o.evictionHeldBackBy
        .filter(_ != o.heldBackBy)
        .flatMap(byName.get)
        .map(line(_, to, "tg-flow tg-of-state"))
    }
    val height = (math.max(watermarks.size, operators.size) + 1) * (boxHeight + gapY)
    <svg id="tg-flow" viewBox={s"0 0 ${3 * boxWidth + 2 * gapX} $height"} role="img" aria-label={
      run.operators.map(o => s"${o.name} waits for ${o.heldBackBy}").mkString(", ")
    }>
      {holders.map { case (holder, to) => line(holder, to, "tg-flow") }}
      {rows}
      {states}
      {(holders.map(_._1) ++ watermarks ++ operators).map(draw)}
    </svg>
  }

  private def at(ms: Option[Long]): String = Elements.time(ms).content.map(_.text).mkString

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
