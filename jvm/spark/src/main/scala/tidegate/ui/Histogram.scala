package tidegate.ui

import scala.xml.NodeSeq

import tidegate.ui.Elements.spanText

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
