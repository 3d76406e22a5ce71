package tidegate.clock

import tidegate.columns.WindowGrid

/**
 * The watermark that an operator runs on.
 *
 * @param watermarkMs
 *   of its rows, in epoch ms: it decides which are late
 * @param evictionMs
 *   of its state, in epoch ms: it decides which rows leave it
 * @param frames
 *   the windows whose frames are its state, if it has frames
 */
final case class OperatorMark(
    key: Byte,
    watermarkMs: Option[Long],
    evictionMs: Option[Long],
    idle: Boolean,
    frames: Option[WindowGrid] = None
) {

  /** Whether another mark may give another result. */
  def sameTimes(other: OperatorMark): Boolean = copy(idle = other.idle) == other
}
