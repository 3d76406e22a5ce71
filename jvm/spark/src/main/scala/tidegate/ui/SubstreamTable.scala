package tidegate.ui

import scala.xml.{NodeSeq, Text}

import tidegate.core.clock.SubstreamView
import tidegate.ui.Elements._

/**
 * The substreams of a watermark: the slowest and those that hold time as a table, the others as a
 * histogram.
 */
private[ui] object SubstreamTable {

  /** So many substreams have a row. */
  private val Slowest = 20

  /** @param atMs the wall clock, in epoch ms */
  def html(watermark: WatermarkPicture, atMs: Long): NodeSeq = {
    val counts = watermark.counts
    val unread = if (counts.unread > 0) f", ${counts.unread}%,d have rows to be read" else ""
    val summary = f"${counts.active}%,d count, ${counts.idle}%,d are idle and left out$unread."
    <p>{summary}</p> ++ watermark.substreams.fold(fromLog(watermark))(table(watermark, _, atMs))
  }

  /** The place of the row of the substream that a watermark waits for. */
  def holderId(watermark: String): String = s"holder-$watermark"

  private def fromLog(watermark: WatermarkPicture): NodeSeq = {
    val holder = watermark.heldBackBy.fold("No substream held time back.") { name =>
      s"After the last batch, time waited for $name, ${spanText(watermark.heldBackMs)} behind the newest."
    }
    <p id={s"substreams-${watermark.name}"}><span id={holderId(watermark.name)}>{
      holder
    }</span> The event log has no more of them.</p>
  }

  private def table(
      watermark: WatermarkPicture,
      all: Map[String, SubstreamView],
      atMs: Long
  ): NodeSeq = {
    val newest = all.values.flatMap(_.watermarkMs).maxOption
    def behind(s: SubstreamView) = for (at <- newest; own <- s.watermarkMs) yield at - own
    // A substream without a time is the slowest of all. One that is left out holds nothing.
    val slowestFirst = all.toSeq.sortBy { case (name, s) =>
      (!watermark.heldBackBy.contains(name), s.idle, s.watermarkMs.getOrElse(Long.MinValue), name)
    }
    val (shown, others) = slowestFirst.splitAt(Slowest)
    val rows = shown.map { case (name, s) =>
      Seq(
        cellOf(watermark, name),
        time(s.watermarkMs),
        behind(s).fold(Cell.empty)(span),
        state(s),
        span(math.max(0, atMs - s.activeAtMs)),
        unread(watermark, name, s),
        time(s.newAtMs)
      )
    }
    sortable(
      s"substreams-${watermark.name}",
      "Substream",
      "Own time",
      "Behind the newest",
      "State",
      "Silent for",
      "Rows to be read",
      "New at"
    )(rows) ++ rest(others.flatMap { case (_, s) => behind(s) }, all.size)
  }

  private def cellOf(watermark: WatermarkPicture, name: String): Cell =
    if (watermark.heldBackBy.contains(name))
      Cell(
        <span id={holderId(watermark.name)}>{name} <strong>holds time back</strong></span>,
        name
      )
    else Cell(name)

  private def state(s: SubstreamView): Cell = Cell(if (s.idle) "idle, left out" else "counts")

  private def unread(watermark: WatermarkPicture, name: String, s: SubstreamView): Cell =
    watermark.unreadRows.get(name) match {
      case Some(rows)         => Cell(rows)
      case None if s.isUnread => Cell(Text("some"), "1")
      case None               => Cell.empty
    }

  private def rest(spans: Seq[Long], all: Int): NodeSeq =
    if (all <= Slowest) NodeSeq.Empty
    else
      <p>{
        f"The $Slowest%d slowest of $all%,d substreams, those that count first. The others, by how far they are behind the newest:"
      }</p> ++ Histogram.svg(spans)
}
