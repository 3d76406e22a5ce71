package tidegate.ui

import scala.xml.{Node, NodeSeq}

import tidegate.core.EndOfTime
import tidegate.core.sight.BatchSight
import tidegate.ui.Elements.{instant, spanText}

/** The watermarks of a query as lines: event time over the wall clock. */
private[ui] object TimeChart {
  private val (width, height) = (900, 280)
  private val (left, top, right, bottom) = (180, 10, 20, 30)

  /** A line has so many points at most. */
  private val MostPoints = 500

  /** So many colours are there. */
  private val Colours = 8

  /** @param batches the oldest first */
  def svg(batches: Seq[BatchSight]): NodeSeq = {
    val step = math.max(1, (batches.size + MostPoints - 1) / MostPoints)
    // The last batch is always there.
    val shown = batches.reverse.zipWithIndex.collect { case (b, i) if i % step == 0 => b }.reverse
    val lines = shown
      .flatMap(_.watermarks.keys)
      .distinct
      .sorted
      .map(name => name -> points(shown, name))
      .filter(_._2.nonEmpty)
    if (lines.isEmpty) <p>No batch with a watermark has ended in this run yet.</p>
    else draw(lines)
  }

  private def points(batches: Seq[BatchSight], name: String): Seq[(Long, Long)] = for {
    batch <- batches
    watermark <- batch.watermarks.get(name)
    ms <- watermark.watermarkMs.filter(_ < EndOfTime.Ms)
  } yield batch.wallClockMs -> ms

  private def draw(lines: Seq[(String, Seq[(Long, Long)])]): NodeSeq = {
    val all = lines.flatMap(_._2)
    val (fromX, toX) = (all.map(_._1).min, all.map(_._1).max)
    val (fromY, toY) = (all.map(_._2).min, all.map(_._2).max)
    def x(ms: Long) = scaled(ms, fromX, toX, left, width - right)
    def y(ms: Long) = scaled(ms, fromY, toY, height - bottom, top)
    val curves = lines.zipWithIndex.map { case ((name, points), i) =>
      // A watermark stays where it is until the next batch.
      val path = points.zip(points.head +: points).flatMap { case ((wall, event), (_, before)) =>
        Seq(s"${x(wall)},${y(before)}", s"${x(wall)},${y(event)}")
      }
      <polyline class={s"tg-line tg-colour-${i % Colours}"} points={path.mkString(" ")}>
        <title>{name}</title>
      </polyline>
    }
    val legend = lines.zipWithIndex.map { case ((name, points), i) =>
      val (wall, event) = points.last
      <li><span class={s"tg-key tg-colour-${i % Colours}"}></span>{
        s"$name: ${instant(event)}, ${spanText(wall - event)} behind the wall clock"
      }</li>
    }
    <svg id="tg-chart" viewBox={s"0 0 $width $height"} role="img" aria-label={
      s"Watermarks from ${instant(fromY)} to ${instant(toY)}, while the wall clock went from ${instant(fromX)} to ${instant(toX)}"
    }>
      {axis(x(fromX), y(toY), x(fromX), y(fromY))}
      {axis(x(fromX), y(fromY), x(toX), y(fromY))}
      {label(left - 6, y(toY) + 10, "end", instant(toY))}
      {label(left - 6, y(fromY), "end", instant(fromY))}
      {label(left, height - 8, "start", instant(fromX))}
      {label(width - right, height - 8, "end", instant(toX))}
      {curves}
    </svg> ++ <ul class="tg-legend">{legend}</ul>
  }

  private def scaled(ms: Long, from: Long, to: Long, first: Int, last: Int): Long =
    if (to == from) ((first + last) / 2).toLong
    else first + math.round((last - first) * ((ms - from).toDouble / (to - from).toDouble))

  private def axis(x1: Long, y1: Long, x2: Long, y2: Long): Node =
    <line class="tg-axis" x1={s"$x1"} y1={s"$y1"} x2={s"$x2"} y2={s"$y2"}/>

  private def label(x: Int, y: Long, anchor: String, text: String): Node =
    <text class="tg-label" x={s"$x"} y={s"$y"} text-anchor={anchor}>{text}</text>
}
