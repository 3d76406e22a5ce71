package tidegate.core.due

/**
 * A stretch of time, in which keys are due: `2^bits` µs that begin at `start`, a multiple of the
 * width. The widest are 2^60 µs, so that 16 of them hold all of time.
 */
final case class DueBucket(bits: Int, start: Long) {

  /** Whether a time, in µs, is in this stretch. */
  def has(micros: Long): Boolean = micros >> bits << bits == start
}

object DueBucket {

  /** The narrowest buckets are about as wide as a millisecond, the step of watermarks. */
  private val NarrowestBits = 10

  /** A bucket is as wide as 32 narrower ones. */
  private val FanOutBits = 5

  /**
   * The bucket for a time as seen from `now`: the further away, the wider. Two times that lie in
   * one bucket with `now` have different buckets as soon as they lie in different narrower ones.
   * Thus at most 31 buckets of each width lie ahead of `now`. Times before `now` are in the bucket
   * of `now`.
   */
  def of(micros: Long, now: Long): DueBucket = {
    val time = math.max(micros, now)
    val differing = java.lang.Long.SIZE - java.lang.Long.numberOfLeadingZeros(time ^ now)
    val steps = math.max(0, (differing - NarrowestBits + FanOutBits - 1) / FanOutBits - 1)
    holding(time, NarrowestBits + FanOutBits * steps)
  }

  /** The bucket of `2^bits` µs that has a time, in µs. */
  def holding(micros: Long, bits: Int): DueBucket = DueBucket(bits, micros >> bits << bits)

  /** The smallest `bits` with `2^bits` at or above a number. */
  def bitsFor(number: Long): Int =
    java.lang.Long.SIZE - java.lang.Long.numberOfLeadingZeros(number - 1)
}
