package tidegate.statistics

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.util.AccumulatorV2

/**
 * The rows that one operator dropped as late in one batch: their exact number, and a few of them as
 * text for the log.
 *
 * The count of a partition is a maximum over its attempts, so that retries count a row once.
 */
final class LateRows extends AccumulatorV2[String, Long] {
  private val byPartition = mutable.Map.empty[Int, Long]
  private var kept = Vector.empty[String]

  /** Counts a row, and keeps its text if there are few so far. */
  def drop(text: => String): Unit = {
    count()
    if (kept.size < LateRows.MaxSamples) kept :+= text
  }

  private def count(): Unit = {
    val partition = TaskContext.getPartitionId()
    byPartition(partition) = byPartition.getOrElse(partition, 0L) + 1
  }

  /** The number of dropped rows. */
  override def value: Long = byPartition.values.sum

  /** At most `LateRows.MaxSamples` dropped rows, as lines for the log. */
  def samples: Seq[String] = kept

  override def isZero: Boolean = byPartition.isEmpty

  override def copy(): LateRows = {
    val other = new LateRows
    other.merge(this)
    other
  }

  override def copyAndReset(): LateRows = new LateRows

  override def reset(): Unit = {
    byPartition.clear()
    kept = Vector.empty
  }

  override def add(text: String): Unit = drop(text)

  override def merge(other: AccumulatorV2[String, Long]): Unit = {
    val that = other.asInstanceOf[LateRows]
    that.byPartition.foreach { case (partition, n) =>
      byPartition(partition) = math.max(n, byPartition.getOrElse(partition, 0L))
    }
    kept = (kept ++ that.kept).take(LateRows.MaxSamples)
  }
}

object LateRows {
  val MaxSamples = 3
}
