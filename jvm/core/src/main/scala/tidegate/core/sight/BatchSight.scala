package tidegate.core.sight

import tidegate.core.clock.{ClockBrief, NodeBrief, OperatorView}

/**
 * What a batch did to time. Times are in epoch ms.
 *
 * @param wallClockMs
 *   the wall clock when the batch had ended
 * @param batchTimeMs
 *   the wall clock when the batch was put together: `current_timestamp()` in it
 * @param inputRows
 *   how many rows the batch read
 * @param watermarks
 *   as they were when the batch ended, by name
 * @param operators
 *   the stateful operators, by name
 */
final case class BatchSight(
    batchId: Long,
    wallClockMs: Long,
    batchTimeMs: Long,
    inputRows: Long,
    watermarks: Map[String, WatermarkSight],
    operators: Map[String, OperatorSight]
)

/**
 * A keyed watermark at the end of a batch.
 *
 * @param futureEvents
 *   of the batch, and of all batches since the query was started
 */
final case class WatermarkSight(brief: NodeBrief, futureEvents: Count) {

  def watermarkMs: Option[Long] = brief.mark.watermarkMs
}

/**
 * A stateful operator, or one side of a join, at the end of a batch.
 *
 * @param lateRows
 *   of the batch, and of all batches since the query was started
 * @param state
 *   how large the state was; the sides of a join have one together
 * @param nextEndMs
 *   the end of the next window that will be closed, if the operator has windows of known length
 */
final case class OperatorSight(
    view: OperatorView,
    lateRows: Count,
    state: Option[StateSize] = None,
    nextEndMs: Option[Long] = None
)

/** How large a state is: in rows, and in bytes as its store counts them. */
final case class StateSize(rows: Long, bytes: Long)

/** A number of rows: in a batch, and since the query was started. */
final case class Count(inBatch: Long, inAll: Long)

object BatchSight {

  /**
   * @param late
   *   the late rows by operator
   * @param future
   *   the rows too far in the future by watermark
   */
  def apply(
      batchId: Long,
      wallClockMs: Long,
      batchTimeMs: Long,
      inputRows: Long,
      times: ClockBrief,
      late: String => Count,
      future: String => Count,
      states: Map[String, StateSize]
  ): BatchSight = BatchSight(
    batchId,
    wallClockMs,
    batchTimeMs,
    inputRows,
    times.nodes.map { case (name, brief) => name -> WatermarkSight(brief, future(name)) },
    times.operators.map { case (name, view) =>
      name -> OperatorSight(view, late(name), states.get(name), nextEndMs(view))
    }
  )

  private def nextEndMs(view: OperatorView): Option[Long] =
    for (windows <- view.mark.frames; ms <- view.mark.watermarkMs; end <- windows.nextEnd(ms))
      yield end
}
