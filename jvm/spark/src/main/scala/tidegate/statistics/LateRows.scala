package tidegate.statistics

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.tidegate.LogLine
import org.apache.spark.util.AccumulatorV2
import tidegate.core.figures.{LatenessBySubstream, LatenessCounters}

/**
 * The rows that one operator dropped as late in one batch: their exact number, and a few of them as
 * text for the log.
 *
 * A row counts once, however often its partition is read: after a retry, by a second action on the
 * batch, or twice in one task. So each pass over a partition counts by itself, and of all passes
 * over a partition the one that found the most rows counts.
 *
 * Spark registers a deserialized accumulator with its task before the fields of this class are
 * read, and from then on a heartbeat may ask `isZero`, in another thread. An exception would end
 * all heartbeats of the executor.
 *
 * @param note
 *   what the log says once if there are late rows; only the driver needs it
 */
final class LateRows(@transient val note: Option[String] = None)
    extends AccumulatorV2[(Int, LogLine), Long] {

  /** The passes of the task of this copy that found a row. */
  @volatile private var passes = Vector.empty[LatePass]

  /** What other copies have found. */
  @volatile private var others = LateCounts.none
  @transient private var total: SQLMetric = _

  /**
   * Adds the dropped rows to a metric on the driver as they are merged. Tasks could not count in
   * the metric itself: after a retry or a second action it would count rows twice.
   */
  def addTo(metric: SQLMetric): Unit = synchronized {
    // The stage that drops the rows may have run before its operator is executed.
    if (total ne metric) metric += value
    total = metric
  }

  /**
   * Begins a pass over a partition of the operator. This is not the partition of the task: after
   * `coalesce` or in a union the task has another number, and several partitions.
   */
  def begin(partition: Int): LatePass = new LatePass(partition, pass => passes = passes :+ pass)

  /** The number of dropped rows. */
  override def value: Long = counts.total

  /** The rows that are late for some of their windows, and not dropped. */
  def partly: PartlyLate = counts.partly

  /**
   * By how much the dropped rows were late. Of the first `LateRows.MaxLatenesses` partitions that
   * have some: those of all partitions would fill the driver's memory.
   */
  def lateness: LatenessBySubstream =
    counts.lateness.values.foldLeft(LatenessBySubstream.None)(_ + _)

  /** At most `LateRows.MaxSamples` dropped rows, as lines for the log. */
  def samples: Seq[LogLine] = counts.someSamples

  private def counts: LateCounts =
    Option(passes).iterator.flatten.foldLeft(Option(others).getOrElse(LateCounts.none)) {
      (counts, pass) => counts.withPass(pass.partition, pass.count)
    }

  override def isZero: Boolean =
    Option(passes).forall(_.isEmpty) && Option(others).forall(_.isEmpty)

  /** Only the end of a task matters. */
  override def excludeFromHeartbeat: Boolean = true

  override def copy(): LateRows = {
    val other = new LateRows
    other.merge(this)
    other
  }

  override def copyAndReset(): LateRows = new LateRows

  override def reset(): Unit = {
    passes = Vector.empty
    others = LateCounts.none
  }

  /** Adds one row, as a pass of its own. */
  override def add(row: (Int, LogLine)): Unit = begin(row._1).drop(row._2)

  override def merge(other: AccumulatorV2[(Int, LogLine), Long]): Unit = synchronized {
    val before = others.total
    others = others.max(other.asInstanceOf[LateRows].counts)
    if (total != null) total += others.total - before
  }
}

object LateRows {
  val MaxSamples = 3
  val MaxLatenesses = 256
}

/**
 * Counts the late rows of one pass over a partition. One thread counts; another one may read at any
 * time, so the count is one immutable value.
 *
 * @param partition
 *   the number of the partition among those of the operator
 * @param onFirst
 *   called before the first row is counted
 */
final class LatePass private[statistics] (
    private[statistics] val partition: Int,
    @transient onFirst: LatePass => Unit
) extends Serializable {

  @volatile private var found = LateCount.none

  /** Counts by how much each dropped row was late. */
  val lateness = new LatenessCounters

  private[statistics] def count: LateCount =
    if (found eq LateCount.none) found else found.copy(lateness = lateness.value)

  /** Counts a row, and keeps its line if only a few are kept so far. */
  def drop(line: => LogLine): Unit = {
    val before = begun()
    val samples =
      if (before.samples.size < LateRows.MaxSamples) before.samples :+ line else before.samples
    found = before.copy(rows = before.rows + 1, samples = samples)
  }

  /** Counts a row that misses so many of its windows, and is in the others. */
  def addPartly(windows: Long): Unit = {
    val before = begun()
    found = before.copy(partly = before.partly + PartlyLate(1, windows))
  }

  private def begun(): LateCount = {
    if (found eq LateCount.none) onFirst(this)
    found
  }
}

/**
 * The late rows of each partition of an operator.
 *
 * @param rows
 *   the highest number that a pass over the partition found
 * @param total
 *   the sum of the numbers
 * @param samples
 *   the first rows of a few partitions, as lines for the log: those of all partitions would fill
 *   the driver's memory
 * @param partlyLate
 *   the rows of each partition that are late for some of their windows
 * @param lateness
 *   by how much the rows of some partitions were late
 */
private[statistics] final case class LateCounts(
    rows: Map[Int, Long],
    total: Long,
    samples: Map[Int, Vector[LogLine]],
    partlyLate: Map[Int, PartlyLate],
    lateness: Map[Int, LatenessBySubstream]
) {

  def isEmpty: Boolean = rows.isEmpty && partlyLate.isEmpty

  def partly: PartlyLate = partlyLate.values.foldLeft(PartlyLate.None)(_ + _)

  /** The counts with those of one more pass over a partition. */
  def withPass(partition: Int, pass: LateCount): LateCounts =
    withDropped(partition, pass).withPartly(partition, pass.partly)

  private def withPartly(partition: Int, partly: PartlyLate): LateCounts =
    if (partly.rows <= partlyLate.get(partition).fold(0L)(_.rows)) this
    else copy(partlyLate = partlyLate.updated(partition, partly))

  private def withDropped(partition: Int, pass: LateCount): LateCounts = {
    val before = rows.getOrElse(partition, 0L)
    if (pass.rows <= before) this
    else {
      val isKept = samples.contains(partition) || samples.size < LateRows.MaxSamples
      val hasLateness = lateness.contains(partition) || lateness.size < LateRows.MaxLatenesses
      copy(
        rows = rows.updated(partition, pass.rows),
        total = total + pass.rows - before,
        samples = if (isKept) samples.updated(partition, pass.samples) else samples,
        lateness = if (hasLateness) lateness.updated(partition, pass.lateness) else lateness
      )
    }
  }

  /** The higher count of each partition. */
  def max(other: LateCounts): LateCounts = {
    val dropped = other.rows.foldLeft(this) { case (counts, (partition, n)) =>
      val samples = other.samples.getOrElse(partition, Vector.empty)
      val lateness = other.lateness.getOrElse(partition, LatenessBySubstream.None)
      counts.withDropped(partition, LateCount(n, samples, lateness = lateness))
    }
    other.partlyLate.foldLeft(dropped) { case (counts, (partition, partly)) =>
      counts.withPartly(partition, partly)
    }
  }

  /** At most `LateRows.MaxSamples` of the samples. */
  def someSamples: Seq[LogLine] =
    samples.toSeq.sortBy(_._1).flatMap(_._2).take(LateRows.MaxSamples)
}

private[statistics] object LateCounts {
  val none: LateCounts = LateCounts(Map.empty, 0L, Map.empty, Map.empty, Map.empty)
}

/**
 * The late rows that one pass over a partition found.
 *
 * @param rows
 *   their number
 * @param samples
 *   the first of them, as lines for the log
 */
private[statistics] final case class LateCount(
    rows: Long,
    samples: Vector[LogLine],
    partly: PartlyLate = PartlyLate.None,
    lateness: LatenessBySubstream = LatenessBySubstream.None
)

private[statistics] object LateCount {
  val none: LateCount = LateCount(0L, Vector.empty)
}

/**
 * Rows that are late for some of their windows: their number, and how many windows they miss, all
 * rows together.
 */
final case class PartlyLate(rows: Long, windows: Long) {
  def +(other: PartlyLate): PartlyLate = PartlyLate(rows + other.rows, windows + other.windows)
}

object PartlyLate {
  val None: PartlyLate = PartlyLate(0, 0)
}
