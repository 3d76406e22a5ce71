package tidegate.core.async

import tidegate.core.{Arguments, NoWatermark}

/**
 * Rows that wait for the answers to their calls, and the watermarks between the rows.
 *
 *   - A watermark or idleness leaves behind the answers to all rows that entered before it,
 *     whatever its key. Time is never overtaken by a row that would then be late.
 *   - At most `maxInFlight` rows are inside, also those whose answer waits. Watermarks do not
 *     count.
 *   - A watermark that is not above the last one of its key is ignored.
 *   - Rows are known by their number, so equal rows do not mix.
 *
 * In order, answers leave as their rows entered, and each watermark at its place; of watermarks of
 * one key that follow each other directly, only the last leaves. Out of order, answers pass each
 * other only between two watermarks: an answer leaves at once if all rows from before the last
 * watermark have left, and waits for them otherwise. Of the watermarks that become free together
 * with no row in between, only the last of each key leaves.
 *
 * Every method returns what leaves now, in order; of watermarks that leave together, lower keys
 * come first. Has no clock, no threads, and makes no calls. Not thread-safe.
 *
 * Example:
 * {{{
 * val calls = AsyncTransform[String](ordered = true, maxInFlight = 100)
 * val Some(a) = calls.offer()
 * calls.observeWatermark(0, 10) // Nil: waits for the row
 * calls.answer(a, "done") // Seq(Answer(0, "done"), Passed(Watermark(0, 10)))
 * }}}
 */
trait AsyncTransform[R] {

  /**
   * Lets a row in. Returns its number, from 0 on; `None` is back-pressure: the row has to be
   * offered again after an answer has left.
   */
  def offer(): Option[Long]

  /**
   * Takes in a watermark.
   *
   * @param timestampMs
   *   epoch milliseconds
   * @throws java.lang.IllegalArgumentException
   *   if the key is below 0, or the watermark is `Long.MinValue`
   */
  def observeWatermark(key: Byte, timestampMs: Long): Seq[AsyncOutput[R]]

  /**
   * Takes in idleness. A row or watermark that enters while idleness still waits makes the stream
   * active again: out of order, that idleness then never leaves.
   */
  def observeIdle(): Seq[AsyncOutput[R]]

  /**
   * Takes in the answer to a row.
   *
   * @throws java.lang.IllegalStateException
   *   if the row does not wait for an answer
   */
  def answer(row: Long, result: R): Seq[AsyncOutput[R]]

  /**
   * Takes in that the call of a row has failed for good. Throws `error` in place of the answer: in
   * order, when it is the turn of the row.
   *
   * @throws java.lang.IllegalStateException
   *   if the row does not wait for an answer
   */
  def fail(row: Long, error: Throwable): Seq[AsyncOutput[R]]

  /** How many rows are inside. */
  def inFlight: Int

  /**
   * How many rows inside entered behind each watermark of a key, by the watermark in epoch ms;
   * `None` stands for the rows from before the first one.
   */
  def inFlight(key: Byte): Map[Option[Long], Int]
}

object AsyncTransform {

  /**
   * An empty stage.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `maxInFlight` is below 1
   */
  def apply[R](ordered: Boolean, maxInFlight: Int): AsyncTransform[R] = {
    Arguments.atLeast("maxInFlight", maxInFlight.toLong, 1)
    if (ordered) new OrderedCalls(maxInFlight) else new UnorderedCalls(maxInFlight)
  }

  private[async] def checkWatermark(key: Byte, timestampMs: Long): Unit = {
    Arguments.within("key", key, Byte.MaxValue)
    if (timestampMs == NoWatermark.Ms)
      Arguments.refuse("timestampMs", s"$timestampMs ms", "above that: it stands for none")
  }

  private[async] def notInFlight(row: Long): Nothing = throw new IllegalStateException(
    s"Row $row got an answer, but waits for none; every row is answered once."
  )
}
