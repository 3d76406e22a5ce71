package tidegate.core.clock

/**
 * The watermarks of an operator in one batch, in epoch ms.
 *
 * @param lateMs
 *   the watermark for late rows: rows below it are late. Before the first watermark it is the
 *   lowest value of the operator
 * @param evictionMs
 *   the watermark for eviction: rows that it has passed leave in this batch
 * @param evictedMs
 *   the eviction watermark of the previous batch
 * @param idle
 *   whether the input of the operator is idle, and so left out of coalescing
 */
final case class OperatorBatch(lateMs: Long, evictionMs: Long, evictedMs: Long, idle: Boolean)

object OperatorBatch {

  /** As the lowest watermark: no time is below it, even when it is multiplied by 1000. */
  val NothingLate: Long = Long.MinValue / 1000

  /** The watermarks outside of a running query. */
  val none: OperatorBatch = OperatorBatch(NothingLate, NothingLate, NothingLate, idle = false)
}
