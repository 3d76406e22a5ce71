package tidegate.core.clock

/**
 * The watermarks of an operator in one batch, in epoch ms.
 *
 * @param lateMs
 *   for late rows: rows below it were already accounted for; before the first it is 0, as in Spark,
 *   or the lowest of the operator
 * @param evictionMs
 *   for eviction: what it has passed leaves in this batch; 0, or the lowest, means none
 * @param evictedMs
 *   the eviction watermark of the batch before
 * @param idle
 *   whether its input is left out of coalescing
 */
final case class OperatorBatch(lateMs: Long, evictionMs: Long, evictedMs: Long, idle: Boolean)

object OperatorBatch {

  /** Outside of a running query. */
  val none: OperatorBatch = OperatorBatch(0L, 0L, 0L, idle = false)
}
