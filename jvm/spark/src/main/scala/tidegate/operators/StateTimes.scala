package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import tidegate.columns.EventTimeTag
import tidegate.core.EndOfTime
import tidegate.core.clock.OperatorBatch

/**
 * What lets rows leave the state of an operator in one batch, in epoch ms.
 *
 * @param time
 *   the column that the operator runs on
 * @param evictionMs
 *   rows that this watermark has passed leave in this batch
 * @param evictedMs
 *   the same watermark in the previous batch
 * @param isInclusive
 *   whether a time at the watermark has passed too, because no row with this time comes any more
 */
private[tidegate] final case class StateTimes(
    time: Attribute,
    evictionMs: Long,
    evictedMs: Long,
    isInclusive: Boolean = false
) {

  /** For Spark's operators that hand the watermark to a user's function. */
  def eviction: Option[Long] = Some(evictionMs)

  /** For Spark's operators that compare windows with the watermark. */
  def evictionOfWindows: Option[Long] = Some(StateTimes.compared(evictionMs))

  /** For Spark's operators that evict by their keys. */
  def evictionOfKeys: Option[Long] =
    if (isInclusive || EventTimeTag.closesWindow(time)) evictionOfWindows
    else Some(StateTimes.compared(StateTimes.passed(evictionMs)))

  /**
   * As `evictionOfKeys`; `None` if the watermark stands still. Then nothing can leave, as no row
   * comes that the watermark has passed, and Spark's operators need not walk over their keys.
   */
  def evictionOfKeysIfMoved: Option[Long] =
    if (evictionMs == evictedMs) None else evictionOfKeys
}

private[tidegate] object StateTimes {

  /** A watermark for late rows that drops nothing, even when Spark multiplies it by 1000. */
  val NothingIsLate: Option[Long] = Some(OperatorBatch.NothingLate)

  /**
   * Spark evicts a plain time that equals the watermark. But a row with that very time may still
   * come and is not late: only times below the watermark have passed. At the end of time all have.
   */
  def passed(watermarkMs: Long): Long =
    if (watermarkMs >= EndOfTime.Ms) watermarkMs
    else math.max(OperatorBatch.NothingLate, watermarkMs - 1)

  /**
   * A watermark that Spark compares in µs with times, as a number that is never below 0.
   *
   * Below 0, Spark would start batches without end: it takes its own watermark, which is 0 here,
   * for an advance. Adding 2^61 keeps the product, which wraps (2^61 * 1000 is a multiple of 2^64),
   * and makes the number positive.
   */
  private[operators] def compared(watermarkMs: Long): Long =
    if (watermarkMs < 0) watermarkMs + (1L << 61) else watermarkMs
}
