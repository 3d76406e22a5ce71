package tidegate.core.clock

/** The watermarks of one batch: at its start, and at its end for eviction. */
final case class BatchTimes(start: ClockState, end: ClockState) {

  /**
   * Below these watermarks rows are late: those at the start, or of a batch without rows that was
   * left out since. So the same rows are late whether or not such a batch is left out.
   */
  val late: ClockState = end.skipped.fold(start)(start.at)

  /** The watermarks of an operator, none of them below `lowestMs`. */
  def operator(name: String, lowestMs: Long = OperatorBatch.NothingLate): OperatorBatch = {
    def orLowest(ms: Option[Long]) = math.max(lowestMs, ms.getOrElse(lowestMs))
    OperatorBatch(
      orLowest(late.operators.get(name).flatMap(_.watermarkMs)),
      orLowest(end.operators.get(name).flatMap(_.evictionMs)),
      orLowest(start.operators.get(name).flatMap(_.evictionMs)),
      end.operators.get(name).exists(_.idle),
      end.skipped.flatMap(_.operators.get(name)).flatMap(_.evictionMs)
    )
  }

  /** The mark of a watermark node at the end of the batch. */
  def node(name: String): Option[NodeMark] = end.nodes.get(name)

  /** A node whose watermark would go back in this batch, with its mark before and after it. */
  def wentBack: Option[(String, NodeMark, NodeMark)] =
    start.nodes.iterator
      .flatMap { case (name, before) => end.nodes.get(name).map(after => (name, before, after)) }
      .find { case (_, before, after) =>
        before.watermarkMs.exists(ms => after.watermarkMs.forall(_ < ms))
      }
}

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
