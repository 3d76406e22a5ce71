package tidegate.core.sight

import tidegate.core.clock.{ClockBrief, NodeBrief, OperatorView}

/**
 * What a batch did to time. Times are in epoch ms.
 *
 * @param wallClockMs
 *   the wall clock when the batch had ended
 * @param batchTimeMs
 *   the wall clock when the batch was put together: `current_timestamp()` in it
 * @param watermarks
 *   as they were when the batch ended, by name
 * @param operators
 *   the stateful operators, by name
 */
final case class BatchSight(
    batchId: Long,
    wallClockMs: Long,
    batchTimeMs: Long,
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
 */
final case class OperatorSight(view: OperatorView, lateRows: Count)

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
      times: ClockBrief,
      late: String => Count,
      future: String => Count
  ): BatchSight = BatchSight(
    batchId,
    wallClockMs,
    batchTimeMs,
    times.nodes.map { case (name, brief) => name -> WatermarkSight(brief, future(name)) },
    times.operators.map { case (name, view) => name -> OperatorSight(view, late(name)) }
  )
}
