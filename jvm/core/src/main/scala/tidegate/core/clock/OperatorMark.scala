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

  /** Whether there is no watermark yet. */
  def hasNoTimes: Boolean = watermarkMs.isEmpty && evictionMs.isEmpty

  /** Whether another mark gives the same result. */
  def sameTimes(other: OperatorMark): Boolean = copy(idle = other.idle) == other

  /** Whether another mark is of the same state, at the same or another time. */
  def sameState(other: OperatorMark): Boolean =
    copy(watermarkMs = other.watermarkMs, evictionMs = other.evictionMs, idle = other.idle) == other

  /** Whether time has come less far than in another mark of the same operator. */
  def isBehind(other: OperatorMark): Boolean = {
    def isLess(a: Option[Long], b: Option[Long]) = b.exists(ms => a.forall(_ < ms))
    if (evictionMs == other.evictionMs) isLess(watermarkMs, other.watermarkMs)
    else isLess(evictionMs, other.evictionMs)
  }
}
