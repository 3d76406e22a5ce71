package tidegate.ui

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneOffset}

import scala.xml.{Node, NodeSeq}

import tidegate.core.EndOfTime
import tidegate.core.figures.{BatchFigures, QueryFigures, TimeEvent, WatermarkFigures, Words}
import tidegate.ui.Elements._

/**
 * The watermarks of a query over the wall clock, with the wall clock itself, the substreams that
 * time has waited for, and marks for late rows and for what happened.
 */
private[ui] object TimeChart {
  private val (width, height) = (900, 340)
  private val (left, top, right, bottom) = (100, 26, 16, 46)

  /** Late rows have a strip below the lines. */
  private val strip = 44

  /** A line has so many points at most, and so many of the last events are marked. */
  private val (mostPoints, mostEvents) = (500, 40)

  private val colours = 8

  private final case class Line(name: String, kind: String, points: Seq[(Long, Long)])

  def svg(run: QueryFigures): NodeSeq = {
    val step = math.max(1, (run.batches.size + mostPoints - 1) / mostPoints)
    // The last batch is always there.
    val shown =
      run.batches.reverse.zipWithIndex.collect { case (b, i) if i % step == 0 => b }.reverse
    val names = shown.flatMap(_.watermarks.keys).distinct.sorted
    val lines = names
      .flatMap(linesOf(shown, _))
      .filter(_.points.nonEmpty)
      .zipWithIndex
      .map { case (line, i) => line.copy(kind = s"${line.kind} tg-colour-${i % colours}") }
    if (lines.isEmpty) <p>No batch with a watermark has ended in this run yet.</p>
    else new Picture(lines, shown, run).draw
  }

  /** A watermark, and the substreams that it has waited for, if there are several. */
  private def linesOf(batches: Seq[BatchFigures], name: String): Seq[Line] = {
    def points(time: WatermarkFigures => Option[Long]) = for {
      batch <- batches
      ms <- batch.watermarks.get(name).flatMap(time)
      if ms < EndOfTime.Ms
    } yield batch.wallClockMs -> ms
    def newest(w: WatermarkFigures) =
      w.heldBackBy.flatMap(w.holders.get).map(_ + w.heldBackMs)
    val isDivided = batches.exists(_.watermarks.get(name).exists(_.knownSubstreams > 1))
    val last = batches.lastOption.flatMap(_.watermarks.get(name))
    val holders = if (isDivided) last.toSeq.flatMap(_.holders.keys) else Nil
    val own = Line(name, "tg-line tg-own", points(_.watermarkMs))
    val others = holders.map { holder =>
      Line(s"$name: $holder", "tg-line tg-holder", points(_.holders.get(holder)))
    }
    val top = Line(s"$name: the newest", "tg-line tg-newest", points(newest))
    own +: (others ++ Option.when(isDivided)(top))
  }

  private final class Picture(lines: Seq[Line], batches: Seq[BatchFigures], run: QueryFigures) {
    private val all = lines.flatMap(_.points)
    private val (fromX, toX) = (batches.head.wallClockMs, batches.last.wallClockMs)
    private val (lowest, highest) = (all.map(_._2).min, all.map(_._2).max)

    /** A clock that is far ahead would leave no room for the lines. */
    private val showsClock =
      toX >= lowest && toX - highest <= math.max(600000L, 4 * (highest - lowest))
    private val fromY = lowest
    private val toY = if (showsClock) math.max(highest, toX) else highest

    private def x(ms: Long) = scaled(ms, fromX, toX, left, width - right)
    private def y(ms: Long) = scaled(ms, fromY, toY, height - bottom - strip, top)

    def draw: NodeSeq = {
      val label =
        s"Watermarks from ${Words.time(lowest)} to ${Words.time(highest)}, while the wall " +
          s"clock went from ${Words.time(fromX)} to ${Words.time(toX)}"
      <div class="tg-scroll"><svg id="tg-chart" viewBox={
        s"0 0 $width $height"
      } role="img" aria-label={label}>
        {ticks(fromX, toX, 5).map(timeTick)}
        {ticks(fromY, toY, 5).map(eventTick)}
        {if (showsClock) clock else NodeSeq.Empty}
        {lines.map(curve)}
        {lateRows}
        {events}
        <text class="tg-label" x={s"${width - right}"} y={
        s"${height - 6}"
      } text-anchor="end">the wall clock, UTC</text>
        <text class="tg-label" x="4" y="14">event time, UTC</text>
      </svg></div> ++ legend
    }

    private def clock: Node =
      <line class="tg-clock" x1={s"${x(math.max(fromX, fromY))}"} y1={
        s"${y(math.max(fromX, fromY))}"
      } x2={s"${x(toX)}"} y2={s"${y(toX)}"}><title>the wall clock</title></line>

    private def curve(line: Line): Node = {
      // A watermark stays where it is until the next batch.
      val path = line.points.zip(line.points.head +: line.points).flatMap {
        case ((wall, event), (_, before)) =>
          Seq(s"${x(wall)},${y(before)}", s"${x(wall)},${y(event)}")
      }
      <polyline class={line.kind} points={path.mkString(" ")}><title>{line.name}</title></polyline>
    }

    /** Their number by its digits: ten rows are seen beside a million. */
    private def lateRows: NodeSeq = {
      val base = height - bottom
      for {
        batch <- run.batches
        n = batch.operators.values.map(_.lateRows.inBatch).sum
        if n > 0
      } yield {
        val high = math.min(strip - 4, 8 + 6 * math.log10(n.toDouble).round.toInt)
        <rect class="tg-late" x={s"${x(batch.wallClockMs) - 2}"} y={
          s"${base - high}"
        } width="5" height={
          s"$high"
        }><title>{
          s"${Words.count(n, "late row")} at ${Words.time(batch.wallClockMs)}"
        }</title></rect>
      }
    }

    private def events: NodeSeq = run.events
      .filter(e => e.atMs <= toX + 60000 && e.atMs >= fromX - 60000)
      .takeRight(mostEvents)
      .map { e =>
        val at = x(math.max(fromX, math.min(toX, e.atMs)))
        val kind = if (TimeEvent.Warnings(e.kind)) "tg-mark tg-warning" else "tg-mark"
        <path class={kind} d={
          s"M${at - 5},${top - 8} h10 l-5,9 z"
        }><title>{s"${Words.time(e.atMs)} ${e.name}: ${e.text}"}</title></path>
      }

    private def timeTick(ms: Long): Node =
      <g><line class="tg-grid" x1={s"${x(ms)}"} y1={s"$top"} x2={s"${x(ms)}"} y2={
        s"${height - bottom}"
      }/><text class="tg-label" x={s"${x(ms)}"} y={
        s"${height - bottom + 16}"
      } text-anchor="middle">{tickText(ms, fromX, toX)}</text></g>

    private def eventTick(ms: Long): Node =
      <g><line class="tg-grid" x1={s"$left"} y1={s"${y(ms)}"} x2={s"${width - right}"} y2={
        s"${y(ms)}"
      }/><text class="tg-label" x={s"${left - 6}"} y={s"${y(ms) + 4}"} text-anchor="end">{
        tickText(ms, fromY, toY)
      }</text></g>

    private def legend: Node = {
      val own = lines.map { line =>
        val (wall, event) = line.points.last
        val text =
          s"${line.name}: ${Words.time(event)}, ${spanText(wall - event)} behind the wall clock"
        <li><svg class="tg-key" viewBox="0 0 30 6"><line class={
          line.kind
        } x1="0" y1="3" x2="30" y2="3"/></svg>{text}</li>
      }
      val clock: Node = {
        if (showsClock)
          <li><svg class="tg-key" viewBox="0 0 30 6"><line class="tg-clock" x1="0" y1="3" x2="30" y2="3"/></svg>the wall clock</li>
        else
          <li>The wall clock is {spanText(toX - highest)} ahead, too far for this picture.</li>
      }
      <ul class="tg-legend">{own}{clock}
        <li><svg class="tg-key" viewBox="0 0 30 10"><rect class="tg-late" x="12" y="0" width="5" height="10"/></svg>late rows of a batch, higher for each digit of their number</li>
        <li><svg class="tg-key" viewBox="0 0 30 10"><path class="tg-mark tg-warning" d="M5,1 h10 l-5,9 z"/><path class="tg-mark" d="M19,1 h10 l-5,9 z"/></svg>what happened: warnings, and the rest; the table below has the words</li>
      </ul>
    }
  }

  private def scaled(ms: Long, from: Long, to: Long, first: Int, last: Int): Long =
    if (to == from) ((first + last) / 2).toLong
    else first + math.round((last - first) * ((ms - from).toDouble / (to - from).toDouble))

  /** Round times, at most `most` of them, but never none. */
  private def ticks(from: Long, to: Long, most: Int): Seq[Long] = {
    val step = steps.find(s => (to - from) / s < most).getOrElse(((to - from) / most).max(1L))
    val first = Math.floorDiv(from + step - 1, step) * step
    val found = Iterator.iterate(first)(_ + step).takeWhile(_ <= to).take(most + 1).toSeq
    if (found.isEmpty) Seq(from) else found
  }

  private val steps: Seq[Long] = {
    val seconds = Seq(1, 2, 5, 10, 15, 30).map(_ * 1000L)
    val days = Seq(1, 2, 7, 30, 90, 365).map(_ * 86400000L)
    seconds ++ seconds.map(_ * 60) ++ Seq(1, 2, 3, 6, 12).map(_ * 3600000L) ++ days
  }

  private def tickText(ms: Long, from: Long, to: Long): String = {
    val pattern =
      if (to - from >= 5 * 86400000L) "uuuu-MM-dd"
      else if (Math.floorDiv(from, 86400000L) != Math.floorDiv(to, 86400000L)) "MM-dd HH:mm"
      else if (to - from >= 5 * 60000L) "HH:mm"
      else "HH:mm:ss"
    DateTimeFormatter
      .ofPattern(pattern)
      .withZone(ZoneOffset.UTC)
      .format(Instant.ofEpochMilli(ms))
  }
}
