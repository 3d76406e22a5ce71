package tidegate.clock

import java.time.Instant

import org.apache.spark.sql.catalyst.expressions.Attribute
import tidegate.plans.DropLate

/**
 * The watermarks of an operator in one batch, in epoch ms.
 *
 * @param lateMs
 *   for late rows: rows below it were already accounted for; before the first it is 0, as in Spark,
 *   or the lowest of the operator
 * @param evictionMs
 *   for eviction: what it has passed leaves in this batch; 0, or the lowest, means none
 * @param evictedMs
 *   the same of the batch before
 * @param idle
 *   whether its input is left out of coalescing
 */
final case class OperatorBatch(lateMs: Long, evictionMs: Long, evictedMs: Long, idle: Boolean) {

  /** For `EXPLAIN`. */
  def describe(time: Attribute, key: Byte): String =
    s"$time, key=$key, late below ${OperatorBatch.text(lateMs)}, eviction below " +
      s"${OperatorBatch.text(evictionMs)}, idle=$idle"
}

object OperatorBatch {

  /** Outside of a running query. */
  val none: OperatorBatch = OperatorBatch(0L, 0L, 0L, idle = false)

  /** A watermark as text, in UTC; 0 is none yet. */
  def text(ms: Long): String =
    if (ms == 0 || ms == DropLate.NothingLate) "none" else Instant.ofEpochMilli(ms).toString
}
