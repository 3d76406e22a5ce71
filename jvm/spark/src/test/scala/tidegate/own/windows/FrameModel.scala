package tidegate
package own.windows

import scala.collection.mutable

import org.apache.spark.sql.Row

/** One window of one key: its start and end in epoch ms, and the key as text. */
final case class FrameKey(startMs: Long, endMs: Long, key: String)

object FrameKey {
  def text(key: Seq[Any]): String = KeyedStreamTest.text(Row.fromSeq(key.map {
    case list: scala.collection.Seq[_] => list.mkString("<", ",", ">")
    case value                         => value
  }))
}

/**
 * A batch: its rows, the watermark at its start, and the one at its end, in epoch ms, or the lowest
 * number.
 */
final case class FrameBatch(id: Long, rows: Seq[SentRow], lateMs: Long, evictionMs: Long)

/** By batch: the rows in each window that it closes, and the number of its late rows. */
final case class FrameResult(
    closed: Map[Long, Map[FrameKey, Seq[SentRow]]],
    late: Map[Long, Long]
)

/**
 * Windows that slide, or grow, by their definition: every window keeps its rows.
 *
 * A row gets into those of its windows that end after the watermark at the start of its batch, and
 * is late if there is none; a window that ends by the watermark at the end of a batch leaves in it.
 *
 * @param key
 *   the key of a row
 * @param filter
 *   which rows are aggregated; the others may be late all the same
 */
final class FrameModel(
    sizeMs: Long,
    slideMs: Long,
    offsetMs: Long,
    grows: Boolean,
    key: SentRow => Seq[Any],
    filter: SentRow => Boolean
) {

  /** The starts and ends of the windows of a time. */
  def windows(micros: Long): Seq[(Long, Long)] = {
    val ms = Math.floorDiv(micros, 1000L)
    def floor(step: Long) = ms - Math.floorMod(ms - offsetMs, step)
    val count = (sizeMs / slideMs).toInt
    if (!grows) Seq.iterate(floor(slideMs), count)(_ - slideMs).map(s => s -> (s + sizeMs))
    else
      Seq
        .iterate(floor(sizeMs) + slideMs, count)(_ + slideMs)
        .filter(_ > ms)
        .map(floor(sizeMs) -> _)
  }

  def run(batches: Seq[FrameBatch]): FrameResult = {
    val open = mutable.Map.empty[FrameKey, Vector[SentRow]]
    val late = mutable.Map.empty[Long, Long].withDefaultValue(0L)
    val closed = batches.map { batch =>
      for (row <- batch.rows; micros <- row.micros) {
        val on = windows(micros).filter(_._2 > batch.lateMs)
        if (on.isEmpty) late(batch.id) += 1
        if (filter(row)) on.foreach { case (start, end) =>
          val window = FrameKey(start, end, FrameKey.text(key(row)))
          open(window) = open.getOrElse(window, Vector.empty) :+ row
        }
      }
      val leaving = open.filter(_._1.endMs <= batch.evictionMs).toMap
      open --= leaving.keys
      batch.id -> leaving
    }
    FrameResult(closed.toMap, late.toMap)
  }
}
