package tidegate
package own.sessions

import scala.collection.mutable

import tidegate.own.windows._

/** One session of one key: its start and end in µs, and the key as text. */
final case class SessionKey(start: Long, end: Long, key: String)

/**
 * Sessions by their definition: every session keeps its rows.
 *
 * A row is late if the session that it makes alone ends by the watermark at the start of its batch.
 * Sessions that touch are one; a session leaves when its end is not after the watermark at the end
 * of a batch.
 */
final class SessionModel(gapMs: Long, key: SentRow => Seq[Any]) {
  private val gap = gapMs * 1000

  /** By batch: the rows in each session that it closes; and the late rows. */
  def run(batches: Seq[FrameBatch]): (Map[Long, Map[SessionKey, Seq[SentRow]]], Map[Long, Long]) = {
    var open = Map.empty[SessionKey, Vector[SentRow]]
    val late = mutable.Map.empty[Long, Long].withDefaultValue(0L)
    val closed = batches.map { batch =>
      for (row <- batch.rows; micros <- row.micros) {
        if (isPassed(micros + gap, batch.lateMs)) late(batch.id) += 1
        else {
          val of = FrameKey.text(key(row))
          val (touched, others) = open.partition { case (s, _) =>
            s.key == of && s.start <= micros + gap && micros <= s.end
          }
          val merged = SessionKey(
            (touched.keys.map(_.start).toSeq :+ micros).min,
            (touched.keys.map(_.end).toSeq :+ (micros + gap)).max,
            of
          )
          open = others + (merged -> (touched.values.flatten.toVector :+ row))
        }
      }
      val (leaving, staying) = open.partition(s => isPassed(s._1.end, batch.evictionMs))
      open = staying
      batch.id -> leaving
    }
    (closed.toMap, late.toMap)
  }

  private def isPassed(micros: Long, watermarkMs: Long): Boolean =
    watermarkMs > Long.MinValue && micros <= watermarkMs * 1000
}
