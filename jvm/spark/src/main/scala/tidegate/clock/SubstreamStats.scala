package tidegate.clock

import java.util.{HashMap => JHashMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.util.AccumulatorV2

/**
 * The highest event time of every substream in one batch.
 *
 * Everything in it is a maximum, so that task retries, speculation and a second action on the same
 * batch change nothing.
 *
 * @param futureBoundMicros an event with a higher time, in µs, moves no watermark and is counted
 */
final class SubstreamStats(val futureBoundMicros: Long)
    extends AccumulatorV2[Long, Map[UnsafeRow, Option[Long]]] {
  import SubstreamStats._

  /** The only substream, when the stream is not divided. */
  private var whole: Top = _
  private val tops = new JHashMap[UnsafeRow, Top]()
  private val futureByPartition = mutable.Map.empty[Int, Long]

  // Rows often come in runs of one substream: the last one is found without hashing.
  @transient private var lastRow: UnsafeRow = _
  @transient private var lastTop: Top = _

  /** One event of an undivided stream. */
  def observe(micros: Long): Unit = {
    if (whole == null) whole = new Top(NoTime)
    raise(whole, micros)
  }

  /** One event of the substream that the columns in `row` name; `row` may be used again. */
  def observe(row: UnsafeRow, micros: Long): Unit = {
    if (lastRow == null || !lastRow.equals(row)) find(row)
    raise(lastTop, micros)
  }

  private def find(row: UnsafeRow): Unit = {
    lastTop = tops.get(row)
    if (lastTop == null) {
      lastTop = new Top(NoTime)
      lastTop.row = row.copy()
      tops.put(lastTop.row, lastTop)
    }
    lastRow = lastTop.row
  }

  private def raise(top: Top, micros: Long): Unit =
    if (micros > top.micros) {
      if (micros <= futureBoundMicros) top.micros = micros else countFuture()
    }

  private def countFuture(): Unit = {
    val partition = TaskContext.getPartitionId()
    futureByPartition(partition) = futureByPartition.getOrElse(partition, 0L) + 1
  }

  /** The substreams with events, and the highest time of each in µs, if any counts. */
  override def value: Map[UnsafeRow, Option[Long]] =
    (Option(whole).iterator.map(top => WholeStream -> top.value) ++
      tops.asScala.iterator.map { case (row, top) => row -> top.value }).toMap

  /** How many events were further in the future than allowed. */
  def futureEvents: Long = futureByPartition.values.sum

  override def isZero: Boolean = whole == null && tops.isEmpty

  override def copy(): SubstreamStats = {
    val other = new SubstreamStats(futureBoundMicros)
    other.merge(this)
    other
  }

  override def copyAndReset(): SubstreamStats = new SubstreamStats(futureBoundMicros)

  override def reset(): Unit = {
    whole = null
    tops.clear()
    futureByPartition.clear()
    lastRow = null
    lastTop = null
  }

  override def add(micros: Long): Unit = observe(micros)

  override def merge(other: AccumulatorV2[Long, Map[UnsafeRow, Option[Long]]]): Unit = {
    val that = other.asInstanceOf[SubstreamStats]
    if (that.whole != null) {
      if (whole == null) whole = new Top(NoTime)
      whole.micros = math.max(whole.micros, that.whole.micros)
    }
    that.tops.forEach { (row, top) =>
      val own = tops.computeIfAbsent(row, _ => new Top(NoTime))
      own.micros = math.max(own.micros, top.micros)
    }
    that.futureByPartition.foreach { case (partition, n) =>
      futureByPartition(partition) = math.max(n, futureByPartition.getOrElse(partition, 0L))
    }
  }
}

object SubstreamStats {
  private val NoTime = Long.MinValue

  /** Stands for the whole stream where no substream columns are given. */
  val WholeStream = new UnsafeRow(0)

  private final class Top(var micros: Long) extends Serializable {
    @transient var row: UnsafeRow = _
    def value: Option[Long] = if (micros == NoTime) None else Some(micros)
  }
}
