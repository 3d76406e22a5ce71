package tidegate.execution

/**
 * Which times are late, in µs.
 *
 * @param upTo
 *   times up to this one are late
 * @param partlyAfter
 *   times after this one, and up to `partlyUpTo`, tell of a row that is late for some of its
 *   windows and not for the last
 */
private[execution] final case class LateBounds(upTo: Long, partlyAfter: Long, partlyUpTo: Long) {

  /** No later time concerns anybody. */
  val reach: Long = math.max(upTo, partlyUpTo)

  /**
   * Whether a row counts as dropped.
   *
   * @param isLast
   *   whether a copy of the row is the one in its last window
   */
  def isDropped(time: Long, isLast: Boolean): Boolean = time <= upTo && isLast

  /** Of a row that is not dropped. */
  def isPartly(time: Long): Boolean = time > partlyAfter && time <= partlyUpTo
}

private[execution] object LateBounds {

  /** Of rows with one window, or none. */
  def withoutPart(upTo: Long): LateBounds = LateBounds(upTo, upTo, upTo)
}
