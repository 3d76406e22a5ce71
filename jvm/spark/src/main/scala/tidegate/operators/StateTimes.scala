package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import tidegate.columns.EventTimeTag

/**
 * What lets rows leave the state of an operator in one batch, in epoch ms.
 *
 * @param time
 *   the column that the operator runs on
 * @param evictionMs
 *   rows that this watermark has passed leave in this batch
 * @param evictedMs
 *   the same watermark in the previous batch
 */
private[tidegate] final case class StateTimes(
    time: Attribute,
    evictionMs: Long,
    evictedMs: Long
) {

  def eviction: Option[Long] = Some(evictionMs)

  /** For Spark's operators that evict by their keys. */
  def evictionOfKeys: Option[Long] =
    if (EventTimeTag.closesWindow(time)) eviction else Some(StateTimes.passed(evictionMs))
}

private[tidegate] object StateTimes {

  /** A watermark for late rows that drops nothing, even when Spark multiplies it by 1000. */
  val NothingIsLate: Option[Long] = Some(Long.MinValue / 1000)

  /**
   * Spark evicts a plain time that equals the watermark. But a row with that very time may still
   * come and is not late: only times below the watermark have passed.
   */
  def passed(watermarkMs: Long): Long = math.max(0L, watermarkMs - 1)
}
