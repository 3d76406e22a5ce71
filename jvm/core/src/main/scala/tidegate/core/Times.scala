package tidegate.core

/** The end of event time: the end of TIMESTAMP, which counts µs in a `Long`. */
object EndOfTime {

  /** The last whole millisecond of TIMESTAMP, in epoch ms, in the year 294247. */
  val Ms: Long = Long.MaxValue / 1000

  /** The same in µs. A window that would end later ends here, so that its end is a TIMESTAMP. */
  val Micros: Long = Ms * 1000

  /** Stands for a time that no TIMESTAMP is after, in µs. */
  val AfterAllMicros: Long = Long.MaxValue

  /**
   * The µs of a watermark. At the end of time nothing is open any more, not even what lies between
   * the last whole millisecond and the last µs.
   */
  def micros(watermarkMs: Long): Long =
    if (watermarkMs >= Ms) AfterAllMicros
    else if (watermarkMs < Long.MinValue / 1000) Long.MinValue
    else watermarkMs * 1000

  /** A time that is some µs after another. It is a TIMESTAMP, and not after the end of time. */
  def plus(micros: Long, byMicros: Long): Long =
    math.min(Saturating.add(micros, byMicros), math.max(micros, Micros))
}

/** Arithmetic on times that stops at the bounds of `Long` instead of wrapping around. */
private[tidegate] object Saturating {

  def add(left: Long, right: Long): Long = {
    val sum = left + right
    if (((left ^ sum) & (right ^ sum)) < 0) bound(left) else sum
  }

  def subtract(left: Long, right: Long): Long = {
    val difference = left - right
    if (((left ^ right) & (left ^ difference)) < 0) bound(left) else difference
  }

  private def bound(left: Long): Long = if (left < 0) Long.MinValue else Long.MaxValue
}
