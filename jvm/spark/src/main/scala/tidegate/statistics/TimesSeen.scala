package tidegate.statistics

import tidegate.statistics.TimesSeen.floorMs

/**
 * The lowest, the highest and the mean of some event times.
 *
 * The mean is of whole milliseconds, as in Spark. It is kept as a difference from the first time,
 * because a sum of times would soon be too large to be exact.
 */
final class TimesSeen extends Serializable {
  private var count = 0L
  private var lowest = Long.MaxValue
  private var highest = Long.MinValue
  private var first = 0.0
  private var beyondFirst = 0.0

  /** Takes in a time in µs. */
  def add(micros: Long): Unit = {
    val ms = floorMs(micros).toDouble
    if (count == 0) first = ms
    count += 1
    beyondFirst += ms - first
    if (micros < lowest) lowest = micros
    if (micros > highest) highest = micros
  }

  def merge(that: TimesSeen): Unit = if (that.count > 0) {
    if (count == 0) first = that.first
    count += that.count
    beyondFirst += that.beyondFirst + (that.first - first) * that.count
    lowest = math.min(lowest, that.lowest)
    highest = math.max(highest, that.highest)
  }

  def isEmpty: Boolean = count == 0

  /** The lowest time in epoch ms. */
  def minMs: Long = floorMs(lowest)

  /** The highest time in epoch ms. */
  def maxMs: Long = floorMs(highest)

  /** The mean in epoch ms, cut off as Spark does. */
  def avgMs: Long = (first + beyondFirst / count).toLong
}

private object TimesSeen {
  private def floorMs(micros: Long): Long = Math.floorDiv(micros, 1000L)
}
