package tidegate.statistics

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.AccumulatorV2

/**
 * The rows that one operator dropped as late in one batch: their exact number, and a few of them as
 * text for the log.
 *
 * Spark registers a deserialized accumulator with its task before the fields of this class are
 * read, and from then on a heartbeat may ask `isZero`, in another thread. An exception would end
 * all heartbeats of the executor. So the counts are one immutable value, or not there yet.
 */
final class LateRows extends AccumulatorV2[String, Long] {
  import LateRows._

  @volatile private var seen = Seen.nothing
  @transient private var total: SQLMetric = _

  /**
   * Adds the dropped rows to a metric on the driver as they are merged. Tasks could not count in
   * the metric itself: after a retry or a second action it would count rows twice.
   */
  def addTo(metric: SQLMetric): Unit = total = metric

  /** Counts a row, and keeps its text if only a few are kept so far. */
  def drop(text: => String): Unit = {
    val before = seen
    val counts = before.counts.increased(TaskContext.getPartitionId())
    seen =
      if (before.samples.size < MaxSamples) Seen(counts, before.samples :+ text)
      else Seen(counts, before.samples)
  }

  /** The number of dropped rows. */
  override def value: Long = soFar.counts.total

  /** At most `LateRows.MaxSamples` dropped rows, as lines for the log. */
  def samples: Seq[String] = soFar.samples

  private def soFar: Seen = Option(seen).getOrElse(Seen.nothing)

  override def isZero: Boolean = soFar.counts.isEmpty

  /** Only the end of a task matters. */
  override def excludeFromHeartbeat: Boolean = true

  override def copy(): LateRows = {
    val other = new LateRows
    other.merge(this)
    other
  }

  override def copyAndReset(): LateRows = new LateRows

  override def reset(): Unit = seen = Seen.nothing

  override def add(text: String): Unit = drop(text)

  override def merge(other: AccumulatorV2[String, Long]): Unit = {
    val that = other.asInstanceOf[LateRows].soFar
    val before = value
    seen = Seen(
      seen.counts.max(that.counts),
      (seen.samples ++ that.samples).take(MaxSamples)
    )
    if (total != null) total += value - before
  }
}

object LateRows {
  val MaxSamples = 3

  private final case class Seen(counts: PartitionCounts, samples: Vector[String])

  private object Seen {
    val nothing: Seen = Seen(PartitionCounts.none, Vector.empty)
  }
}
