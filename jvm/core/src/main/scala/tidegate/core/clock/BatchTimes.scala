package tidegate.core.clock

import tidegate.core.EndOfTime

/** The watermarks of one batch: at its start, and at its end for eviction. */
final case class BatchTimes(start: ClockState, end: ClockState) {

  /**
   * Below these watermarks rows are late: those to which the batch before has come, or of a batch
   * without rows that was left out since. So the same rows are late whether or not such a batch is
   * left out.
   */
  val late: ClockState = end.skipped.fold(start)(start.at)

  /** Whether the clock wants to know within the batch what the sources said. */
  def looks: Boolean = start.looks != end.looks

  /** The same batch, once its rows have moved time within it: it evicts up to these watermarks. */
  def within(times: ClockTimes): BatchTimes = copy(end = end.at(times))

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

  /**
   * As `operator`, with what the plan says about the operator: an operator is at the end of time if
   * all of its watermarks are, even if its own time is behind them by the bound of a join. No row
   * is expected any more.
   */
  def operator(name: String, planned: Option[OperatorSpec], lowestMs: Long): OperatorBatch = {
    def hasEnded(at: ClockState, time: Option[InputTime]) = time.exists(_.nodes.forall { node =>
      at.nodes.get(node).flatMap(_.watermarkMs).exists(_ >= EndOfTime.Ms)
    })
    def orEnd(at: ClockState, time: Option[InputTime], ms: Long) =
      if (hasEnded(at, time)) EndOfTime.Ms else ms.min(EndOfTime.Ms)
    val times = operator(name, lowestMs)
    val eviction = planned.flatMap(_.eviction)
    times.copy(
      lateMs = orEnd(late, planned.map(_.input), times.lateMs),
      evictionMs = orEnd(end, eviction, times.evictionMs),
      evictedMs = orEnd(start, eviction, times.evictedMs)
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
 *   the eviction watermark of the previous batch, as its offset has it
 * @param idle
 *   whether the input of the operator is idle, and so left out of coalescing
 * @param leftOutMs
 *   the eviction watermark to which the previous batch has come within itself, or of a batch that
 *   was left out since because nothing would have left the state; `None` if neither was
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
