package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.plans._
import tidegate.core.Saturating

/**
 * What a type of join does with rows that have a partner, and with those that have none.
 *
 * @param emitsPairs
 *   whether each pair comes out
 * @param emitsLeftOnce
 *   whether a left row comes out with its first partner
 * @param emitsUnmatched
 *   whether the rows of a side come out that have left the state without a partner
 */
private[join] final case class JoinRules(
    emitsPairs: Boolean,
    emitsLeftOnce: Boolean,
    emitsUnmatched: Sides[Boolean]
) {

  /** Whether a left row that has a partner needs no more of them. */
  def isOnce: Boolean = !emitsPairs

  /** Whether it matters if a row of a side has found a partner. */
  val marksMatched: Sides[Boolean] =
    emitsUnmatched.copy(left = emitsUnmatched.left || isOnce)
}

private[join] object JoinRules {

  def of(joinType: JoinType): JoinRules = joinType match {
    case Inner | Cross => JoinRules(true, false, Sides(false, false))
    case LeftOuter     => JoinRules(true, false, Sides(true, false))
    case RightOuter    => JoinRules(true, false, Sides(false, true))
    case FullOuter     => JoinRules(true, false, Sides(true, true))
    case LeftSemi      => JoinRules(false, true, Sides(false, false))
    case LeftAnti      => JoinRules(false, false, Sides(true, false))
    case other         => throw new IllegalArgumentException(s"no join of streams: $other")
  }

  /** A row of nulls in place of the other side. */
  def nulls(fields: Int): InternalRow = new GenericInternalRow(fields)
}

/**
 * How much an interval join has in memory and in one row of its state.
 *
 * @param chunkRows
 *   how many rows a small chunk has; a head has up to twice as many outside of chunks
 * @param chunkBytes
 *   the same in bytes
 * @param chunksOfASize
 *   after so many chunks, the next ones may be larger by the size of a small chunk
 * @param rowsAtOnce
 *   how many new rows of a key are in memory at once
 * @param bytesAtOnce
 *   the same in bytes
 */
private[join] final case class JoinSizes(
    chunkRows: Int = 64,
    chunkBytes: Int = 64 << 10,
    chunksOfASize: Int = 32,
    rowsAtOnce: Int = 8192,
    bytesAtOnce: Int = 4 << 20
)

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

/** One of something for each side of a join. */
final case class Sides[+T](left: T, right: T) {

  def of(isLeft: Boolean): T = if (isLeft) left else right

  def map[U](f: T => U): Sides[U] = Sides(f(left), f(right))
}

object Sides {

  /** Whether it is the left one, of both sides. */
  private[join] val Both: Seq[Boolean] = Seq(true, false)
}
