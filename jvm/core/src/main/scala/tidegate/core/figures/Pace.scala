package tidegate.core.figures

import java.util.Locale

import tidegate.core.EndOfTime

/**
 * Whether a watermark is catching up with the wall clock.
 *
 * @param kind
 *   one of the kinds below
 * @param perSecond
 *   by how many seconds of event time the watermark moves in a second
 * @param overMs
 *   over how much of the wall clock that was measured
 * @param thereAtMs
 *   the wall clock when the watermark will be behind by its lag alone, if it goes on so
 */
final case class Pace(kind: String, perSecond: Double, overMs: Long, thereAtMs: Option[Long]) {

  /** What makes a sentence of the text. */
  def verb: String = if (kind == Pace.KeepsDistance) "" else "is "

  /** In words. */
  def text(nowMs: Long): String =
    if (kind == Pace.UpToDate) kind
    else {
      val there = thereAtMs.fold("")(at => s", there in ${Words.duration(at - nowMs)}")
      s"$kind: $rate$there"
    }

  private def rate: String = {
    val n =
      if (perSecond < 9.95) "%.1f".formatLocal(Locale.ROOT, perSecond)
      else Words.number(perSecond.round)
    s"$n event seconds per second"
  }
}

object Pace {
  val UpToDate = "up to date"
  val CatchingUp = "catching up"
  val KeepsDistance = "keeps its distance"
  val FallingBehind = "falling behind"

  /** So far behind its lag a watermark is up to date, in ms. */
  private val NearMs = 60000L

  /** The batches of so many ms are looked at, and at least the last two. */
  private val WindowMs = 600000L

  /** What differs by less is the same speed. */
  private val Tolerance = 0.02

  /** More is no forecast. */
  private val LongestMs = 365 * 86400000L

  /**
   * `None` without two batches after which the watermark had a time, without a batch in the last
   * ten minutes, and of a run that has ended.
   */
  def of(query: QueryFigures, watermark: String): Option[Pace] = {
    val points = for {
      batch <- query.batches
      ms <- batch.watermarks.get(watermark).flatMap(_.watermarkMs)
      if ms < EndOfTime.Ms
    } yield batch.wallClockMs -> ms
    for {
      (lastAt, last) <- points.lastOption
      if query.state == RunState.Running && query.atMs - lastAt <= WindowMs
      before = points.init
      (firstAt, first) <- before.find(_._1 >= lastAt - WindowMs).orElse(before.lastOption)
      if lastAt > firstAt
    } yield {
      val perSecond = (last - first).toDouble / (lastAt - firstAt)
      val lagMs = query.watermarks.get(watermark).flatMap(_.settings).fold(0L)(_.policy.lagMs)
      val behindMs = query.atMs - last - lagMs
      if (behindMs <= NearMs) Pace(UpToDate, perSecond, lastAt - firstAt, None)
      else if (perSecond > 1 + Tolerance) {
        val leftMs = behindMs / (perSecond - 1)
        val thereAtMs = Option.when(leftMs < LongestMs)(query.atMs + leftMs.round)
        Pace(CatchingUp, perSecond, lastAt - firstAt, thereAtMs)
      } else {
        val kind = if (perSecond < 1 - Tolerance) FallingBehind else KeepsDistance
        Pace(kind, perSecond, lastAt - firstAt, None)
      }
    }
  }
}
