package tidegate.own.join

import tidegate.core.Saturating

/**
 * How much later than the left row the right row of a pair may be, in µs; negative if it is
 * earlier. The condition says it exactly; this is a quick look at the times.
 */
final case class Reach(least: Long, most: Long) {

  def includes(left: Long, right: Long): Boolean =
    right >= Reach.plus(left, least) && right <= Reach.plus(left, most)

  /** Whether some pair of times of two ranges may be in reach. */
  def includes(leftFrom: Long, leftTo: Long, rightFrom: Long, rightTo: Long): Boolean =
    rightTo >= Reach.plus(leftFrom, least) && rightFrom <= Reach.plus(leftTo, most)
}

object Reach {

  /** Everything. */
  val unknown: Reach = Reach(Long.MinValue, Long.MaxValue)

  private def plus(time: Long, by: Long): Long =
    if (by == Long.MinValue || by == Long.MaxValue) by
    else Saturating.add(time, by)
}
