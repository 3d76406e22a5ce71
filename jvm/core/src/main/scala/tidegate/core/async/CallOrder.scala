package tidegate.core.async

import scala.collection.mutable

import tidegate.core.Arguments

/**
 * The bound and the order of asynchronous calls: rows that wait for the answers to their calls.
 *
 *   - At most `maxInFlight` rows are inside, also rows whose answer waits for its turn.
 *   - In order, answers leave as their rows entered; out of order, an answer leaves at once.
 *   - Rows are known by their number, so equal rows do not mix.
 *
 * Has no clock, no threads, and makes no calls. Not thread-safe.
 *
 * Example:
 * {{{
 * val calls = new CallOrder[String](ordered = true, maxInFlight = 100)
 * val Seq(a, b) = Seq.fill(2)(calls.offer().get)
 * calls.answer(b, "second") // Nil: waits for the first
 * calls.answer(a, "first")  // Seq("first", "second")
 * }}}
 *
 * @throws java.lang.IllegalArgumentException
 *   if `maxInFlight` is below 1
 */
final class CallOrder[R](ordered: Boolean, maxInFlight: Int) {
  Arguments.atLeast("maxInFlight", maxInFlight.toLong, 1)

  /** The rows inside in the order in which they entered, with their answers. */
  private val rows = mutable.LinkedHashMap.empty[Long, Option[R]]
  private var nextRow = 0L

  /**
   * Lets a row in. Returns its number, from 0 on; `None` is back-pressure: the row has to be
   * offered again after an answer has left.
   */
  def offer(): Option[Long] = Option.when(rows.size < maxInFlight) {
    rows(nextRow) = None
    nextRow += 1
    nextRow - 1
  }

  /**
   * Takes in the answer to a row, and returns the answers that leave now, in order.
   *
   * @throws java.lang.IllegalStateException
   *   if the row does not wait for an answer
   */
  def answer(row: Long, result: R): Seq[R] = {
    if (!rows.get(row).contains(None))
      throw new IllegalStateException(
        s"Row $row got an answer, but waits for none; every row is answered once."
      )
    if (ordered) {
      rows(row) = Some(result)
      val leaving = rows.iterator.takeWhile(_._2.isDefined).toVector
      leaving.flatMap { case (number, answer) =>
        rows -= number
        answer
      }
    } else {
      rows -= row
      Seq(result)
    }
  }

  /** How many rows are inside. */
  def inFlight: Int = rows.size
}
