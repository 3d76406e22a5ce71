package tidegate.core.clock

import tidegate.core.window.WindowGrid

/**
 * The watermark that an operator runs on.
 *
 * @param watermarkMs
 *   the watermark of its rows, in epoch ms: it decides which are late
 * @param evictionMs
 *   the watermark of its state, in epoch ms: it decides which rows leave
 * @param frames
 *   the windows whose frames are its state, if it has frames
 * @param gapMicros
 *   the gap of its sessions, in µs, if its state has sessions of our own
 */
final case class OperatorMark(
    key: Byte,
    watermarkMs: Option[Long],
    evictionMs: Option[Long],
    idle: Boolean,
    frames: Option[WindowGrid] = None,
    gapMicros: Option[Long] = None
) {

  /** Whether another mark gives the same result. */
  def sameTimes(other: OperatorMark): Boolean = copy(idle = other.idle) == other
}
