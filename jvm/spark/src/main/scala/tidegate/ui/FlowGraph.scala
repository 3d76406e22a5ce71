package tidegate.ui

import scala.xml.{Node, NodeSeq}

import tidegate.clock.SeenQuery

/**
 * What each operator waits for: boxes for the substreams that hold time, for watermarks, and for
 * operators, with lines between them.
 */
private[ui] object FlowGraph {
  private val (boxWidth, boxHeight, gapX, gapY) = (240, 34, 90, 14)

  private final case class Box(name: String, x: Int, y: Int, kind: String) {
    def out: (Int, Int) = (x + boxWidth, y + boxHeight / 2)
    def in: (Int, Int) = (x, y + boxHeight / 2)
  }

  def svg(query: SeenQuery): NodeSeq = {
    val nodes = query.view.clock.nodes.toSeq.sortBy(_._1)
    val operators = query.view.clock.operators.toSeq.sortBy(_._1)
    val watermarks = column(1, nodes.map(_._1), "watermark")
    val holders = nodes.zip(watermarks).flatMap { case ((_, node), box) =>
      node.heldBackBy.map(held => Box(held, 0, box.y, "substream") -> box)
    }
    val boxes = column(2, operators.map(_._1), "operator")
    val byName = watermarks.map(box => box.name -> box).toMap
    val rows = operators.zip(boxes).flatMap { case ((_, operator), box) =>
      byName.get(operator.heldBackBy).map(line(_, box, "tg-flow"))
    }
    val states = operators.zip(boxes).flatMap { case ((_, operator), box) =>
      operator.evictionHeldBackBy
        .filter(_ != operator.heldBackBy)
        .flatMap(byName.get)
        .map(line(_, box, "tg-flow tg-of-state"))
    }
    val height = (math.max(nodes.size, operators.size) + 1) * (boxHeight + gapY)
    <svg id="tg-flow" viewBox={s"0 0 ${3 * boxWidth + 2 * gapX} $height"} role="img" aria-label={
      operators.map { case (name, o) => s"$name waits for ${o.heldBackBy}" }.mkString(", ")
    }>
      {holders.map { case (holder, box) => line(holder, box, "tg-flow") }}
      {rows}
      {states}
      {(holders.map(_._1) ++ watermarks ++ boxes).map(draw)}
    </svg>
  }

  private def column(at: Int, names: Seq[String], kind: String): Seq[Box] =
    names.zipWithIndex.map { case (name, i) =>
      Box(name, at * (boxWidth + gapX), gapY + i * (boxHeight + gapY), kind)
    }

  private def draw(box: Box): Node =
    <g>
      <rect class={s"tg-box tg-${box.kind}"} x={s"${box.x}"} y={s"${box.y}"} width={
      s"$boxWidth"
    } height={
      s"$boxHeight"
    } rx="4"/>
      <text class="tg-label" x={s"${box.x + boxWidth / 2}"} y={
      s"${box.y + 21}"
    } text-anchor="middle">{
      cut(box.name)
    }<title>{s"${box.kind} ${box.name}"}</title></text>
    </g>

  private def line(from: Box, to: Box, kind: String): Node = {
    val ((x1, y1), (x2, y2)) = (from.out, to.in)
    <line class={kind} x1={s"$x1"} y1={s"$y1"} x2={s"$x2"} y2={s"$y2"}/>
  }

  private def cut(name: String): String = if (name.length <= 30) name else s"${name.take(29)}…"
}
