package tidegate.core.figures

import java.util.concurrent.ConcurrentHashMap

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

/**
 * By how much some rows were late: a histogram whose bucket `i` has the rows that were late by
 * `2^(i - 1)` to `2^i - 1` ms. So a quantile is at most twice what is exact, and a histogram is as
 * large for two rows as for two million.
 */
final case class Lateness(buckets: Vector[Long], maxMs: Long) {

  def rows: Long = buckets.sum

  /** Half of the rows were late by at most so many ms: rounded up, but never above the highest. */
  def p50Ms: Long = {
    val half = (rows + 1) / 2
    val i = buckets.scanLeft(0L)(_ + _).tail.indexWhere(_ >= half)
    math.min(maxMs, (1L << i) - 1)
  }

  def +(that: Lateness): Lateness =
    Lateness(
      buckets.zipAll(that.buckets, 0L, 0L).map { case (a, b) => a + b },
      maxMs.max(that.maxMs)
    )

  def figures: LateRowFigures = LateRowFigures(rows, p50Ms, maxMs)
}

object Lateness {
  val None: Lateness = Lateness(Vector.empty, 0)

  /** The bucket of a row. */
  private[figures] def bucket(ms: Long): Int = 64 - java.lang.Long.numberOfLeadingZeros(ms.max(0L))
}

/**
 * The same for each substream.
 *
 * @param substreams
 *   at most `LatenessBySubstream.MostNames` of them by name
 * @param others
 *   all others together
 */
final case class LatenessBySubstream(substreams: Map[String, Lateness], others: Lateness) {
  import LatenessBySubstream._

  def +(that: LatenessBySubstream): LatenessBySubstream =
    that.substreams.foldLeft(copy(others = others + that.others)) { case (sum, (name, one)) =>
      if (sum.substreams.contains(name) || sum.substreams.size < MostNames) {
        val before = sum.substreams.getOrElse(name, Lateness.None)
        sum.copy(substreams = sum.substreams.updated(name, before + one))
      } else sum.copy(others = sum.others + one)
    }

  /** `None` without a row. */
  def figures: Option[LatenessFigures] = {
    val all = substreams.values.foldLeft(others)(_ + _)
    Option.when(all.rows > 0)(
      LatenessFigures(all.figures, SortedMap.from(substreams.map { case (n, l) => n -> l.figures }))
    )
  }
}

object LatenessBySubstream {

  /** So many substreams are told apart: the first that have late rows. */
  val MostNames = 10

  val None: LatenessBySubstream = LatenessBySubstream(Map.empty, Lateness.None)
}

/**
 * Takes in late rows. One thread writes; others may read at any time, and may miss the last rows.
 */
final class LatenessCounter extends Serializable {
  private val counts = new Array[Long](65)
  private var maxMs = 0L

  def add(ms: Long): Unit = {
    counts(Lateness.bucket(ms)) += 1
    if (ms > maxMs) maxMs = ms
  }

  def value: Lateness = Lateness(counts.take(counts.lastIndexWhere(_ > 0) + 1).toVector, maxMs)
}

/** The counters of the substreams, with the same threads. */
final class LatenessCounters extends Serializable {
  private val byName = new ConcurrentHashMap[String, LatenessCounter]()

  /** Counts the rows of all substreams that have no counter of their own. */
  val others = new LatenessCounter

  /** A counter for one more substream: that of the others if there are many. */
  def of(substream: String): LatenessCounter =
    if (isFull) byName.getOrDefault(substream, others)
    else byName.computeIfAbsent(substream, _ => new LatenessCounter)

  /** Whether no more substreams get a counter. */
  def isFull: Boolean = byName.size >= LatenessBySubstream.MostNames

  def value: LatenessBySubstream =
    LatenessBySubstream(byName.asScala.view.mapValues(_.value).toMap, others.value)
}

/**
 * By how much some rows were late, in ms.
 *
 * @param p50Ms
 *   half of them by at most so much: at most twice what is exact
 * @param maxMs
 *   the latest
 */
final case class LateRowFigures(rows: Long, p50Ms: Long, maxMs: Long)

/** By how much the late rows of an operator were late: all, and those of single substreams. */
final case class LatenessFigures(all: LateRowFigures, substreams: SortedMap[String, LateRowFigures])
