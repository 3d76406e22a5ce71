package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.plans._

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
