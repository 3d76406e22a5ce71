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
 * @param leftOutMs
 *   the eviction watermark of a batch that was left out since the previous batch, because nothing
 *   would have left the state; `None` if none was
 */
final case class OperatorBatch(
    lateMs: Long,
    evictionMs: Long,
    evictedMs: Long,
    idle: Boolean,
    leftOutMs: Option[Long] = None
) {

  /** Up to this time, windows are closed: in the previous batch, or in one that was left out. */
  def closedMs: Long = leftOutMs.fold(evictedMs)(math.max(evictedMs, _))
}

object OperatorBatch {

  /** As the lowest watermark: no time is below it, even when it is multiplied by 1000. */
  val NothingLate: Long = Long.MinValue / 1000

  /** The watermarks outside of a running query. */
  val none: OperatorBatch = OperatorBatch(NothingLate, NothingLate, NothingLate, idle = false)
}
