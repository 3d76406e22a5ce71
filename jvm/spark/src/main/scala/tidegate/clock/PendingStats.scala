package tidegate.clock

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import tidegate.core.clock.NextDue
import tidegate.core.figures.LatenessBySubstream
import tidegate.plans.KeyedWatermark
import tidegate.statistics.{DueTimes, LateRows, PartlyLate, SubstreamStats, TimesSeen}

/**
 * What the tasks of the batch that has just run have counted, until the clock takes it in. Plans
 * register it from any thread.
 */
private[clock] final class PendingStats {

  private val pending = new ConcurrentLinkedQueue[(KeyedWatermark, SubstreamStats)]()

  /** What has moved time within the batch already; still to be counted. */
  private val observed = new ConcurrentLinkedQueue[(KeyedWatermark, SubstreamStats)]()
  private val pendingLate = new ConcurrentLinkedQueue[(String, LateRows)]()
  private val pendingDue = new ConcurrentLinkedQueue[(String, DueTimes)]()

  def add(node: KeyedWatermark, stats: SubstreamStats): Unit = pending.add(node -> stats): Unit

  def add(operator: String, late: LateRows): Unit = pendingLate.add(operator -> late): Unit

  def add(operator: String, due: DueTimes): Unit = pendingDue.add(operator -> due): Unit

  /** Whether a task has seen a row. */
  def hasSeen: Boolean = seen.exists { case (_, stats) => !stats.isZero }

  private def seen: Seq[(KeyedWatermark, SubstreamStats)] =
    observed.asScala.toSeq ++ pending.asScala

  /** The times of rows, by node. */
  def times: Map[String, TimesSeen] =
    seen.groupMapReduce(_._1.spec.name)(_._2.seen) { (a, b) =>
      val both = new TimesSeen
      both.merge(a)
      both.merge(b)
      both
    }

  /** Late rows, by operator. */
  def lateRows: Map[String, Long] =
    pendingLate.asScala.toSeq.groupMapReduce(_._1)(_._2.value)(_ + _)

  /** The same of rows that are late for some of their windows. */
  def partlyLate: Map[String, PartlyLate] =
    pendingLate.asScala.toSeq.groupMapReduce(_._1)(_._2.partly)(_ + _)

  /** By how much late rows were late. */
  def lateness: Map[String, LatenessBySubstream] =
    pendingLate.asScala.toSeq.groupMapReduce(_._1)(_._2.lateness)(_ + _)

  /** Rows too far in the future, by node. */
  def futureEvents: Map[String, Long] =
    seen.groupMapReduce(_._1.spec.name)(_._2.futureEvents)(math.max)

  /**
   * Takes what was seen and has not moved time yet, by node: copies, because a task that ends late
   * may still be merged. It counts until `forget`.
   */
  def observe(): Map[String, SubstreamStats] = {
    val taken = drain(pending)
    taken.foreach(observed.add)
    taken.groupMap(_._1.spec.name)(_._2.copy()).transform { (_, copies) =>
      copies.reduce { (a, b) => a.merge(b); a }
    }
  }

  /** Takes everything that was observed away. */
  def forget(): Unit = drain(observed): Unit

  /** Takes the late rows, by operator. */
  def takeLate(): Seq[(String, LateRows)] = drain(pendingLate)

  /**
   * Takes when operators have something to do next, by operator; `None` if one did not report it.
   */
  def takeDue(): Map[String, Option[NextDue]] =
    drain(pendingDue).groupMap(_._1)(_._2.value).transform { (_, reported) =>
      reported.flatten.reduceOption((a, b) => NextDue(a.ms.min(b.ms), a.isOfAll && b.isOfAll))
    }

  private def drain[T](queue: ConcurrentLinkedQueue[T]): Seq[T] =
    Iterator.continually(queue.poll()).takeWhile(_ != null).toVector
}
