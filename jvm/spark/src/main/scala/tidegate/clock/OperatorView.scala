package tidegate.clock

import tidegate.core.clock.OperatorMark

/**
 * What a user may see of a stateful operator, or of one side of a join.
 *
 * @param eventTime
 *   the column that it runs on
 * @param heldBackBy
 *   the watermark node that its watermark waits for
 * @param evictionHeldBackBy
 *   the watermark node that its state waits for; `None` if rows stay in it for ever
 * @param lateRows
 *   since the query was started
 */
final case class OperatorView(
    mark: OperatorMark,
    eventTime: String,
    heldBackBy: String,
    evictionHeldBackBy: Option[String],
    lateRows: Long
)
