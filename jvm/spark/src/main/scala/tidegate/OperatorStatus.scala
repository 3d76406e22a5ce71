package tidegate

import java.time.Instant

import tidegate.clock.OperatorView

/**
 * A stateful operator of a query, or one side of a join.
 *
 * @param key
 *   the key of the watermark that it runs on, from 0 to 127
 * @param watermark
 *   the time below which rows are late for the operator, in whole milliseconds; none until there is
 *   one
 * @param idle
 *   whether all of its input is idle
 * @param eventTime
 *   the name of the column that it runs on
 * @param heldBackBy
 *   the keyed watermark furthest behind, which the operator waits for
 * @param evictionWatermark
 *   the time below which rows have left the operator's state, in whole milliseconds; none until
 *   there is one, or if rows stay for ever
 * @param evictionHeldBackBy
 *   the keyed watermark that its state waits for; for one side of a join, a watermark of the other
 *   side. None if rows stay in the state for ever
 * @param lateRows
 *   how many rows it dropped as late since the query was started
 */
final case class OperatorStatus(
    key: Int,
    watermark: Option[Instant],
    idle: Boolean,
    eventTime: String,
    heldBackBy: String,
    evictionWatermark: Option[Instant],
    evictionHeldBackBy: Option[String],
    lateRows: Long
)

object OperatorStatus {

  private[tidegate] def of(operator: OperatorView): OperatorStatus =
    OperatorStatus(
      operator.mark.key.toInt,
      operator.mark.watermarkMs.map(Instant.ofEpochMilli),
      operator.mark.idle,
      operator.eventTime,
      operator.heldBackBy,
      operator.mark.evictionMs.map(Instant.ofEpochMilli),
      operator.evictionHeldBackBy,
      operator.lateRows
    )
}
