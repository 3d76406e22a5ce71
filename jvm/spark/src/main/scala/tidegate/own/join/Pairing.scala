package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

/**
 * Goes through pairs of rows, finds those that the condition of the join lets pass, and marks the
 * rows of a pair, where it matters. Used again for the pairs of other rows: a key has few of them.
 *
 * @param isPair
 *   the condition on both rows
 * @param reach
 *   how much later than the left row the right one may be
 */
private[join] final class Pairing(
    leftFields: Int,
    rightFields: Int,
    isPair: InternalRow => Boolean,
    reach: Reach,
    rules: JoinRules
) {
  private val leftRow = new UnsafeRow(leftFields)
  private val rightRow = new UnsafeRow(rightFields)
  // A left row needs no second partner in a left semi or anti join.
  private val isOnce = rules.isOnce
  private val marks = rules.marksMatched
  private val joined = new JoinedRow(leftRow, rightRow)
  private var lefts: SideRows = _
  private var rights: SideRows = _
  private var (l, leftEnd) = (0, 0)
  private var (r, rightBegin, rightEnd) = (0, 0, 0)

  /**
   * Goes on to the pairs of left rows with right rows, from one number to another, exclusive. No
   * rows may be added or removed before `next` has returned the last pair.
   */
  def begin(
      left: SideRows,
      fromLeft: Int,
      toLeft: Int,
      right: SideRows,
      fromRight: Int,
      toRight: Int
  ): Unit = {
    lefts = left
    rights = right
    l = if (fromRight < toRight) fromLeft else toLeft
    leftEnd = toLeft
    r = fromRight
    rightBegin = fromRight
    rightEnd = toRight
    if (l < leftEnd) lefts.point(l, leftRow)
  }

  /** The next pair, in a row that is filled again; null if there are no more. */
  def next(): JoinedRow = {
    var isFound = false
    while (!isFound && l < leftEnd) {
      if (r == rightEnd || isOnce && lefts.isMatched(l)) nextLeft()
      else {
        if (reach.includes(lefts.time(l), rights.time(r))) {
          rights.point(r, rightRow)
          if (isPair(joined)) {
            isFound = true
            if (marks.left) lefts.setMatched(l)
            if (marks.right) rights.setMatched(r)
          }
        }
        r += 1
      }
    }
    if (isFound) joined else null
  }

  private def nextLeft(): Unit = {
    l += 1
    r = rightBegin
    if (l < leftEnd) lefts.point(l, leftRow)
  }
}

/** A row of either side without a partner, beside nulls in the place of the other side. */
private[join] final class RowsAlone(fields: Sides[Int]) {

  /** To be pointed at a row of the left side. */
  val left: UnsafeRow = new UnsafeRow(fields.left)

  /** To be pointed at a row of the right side. */
  val right: UnsafeRow = new UnsafeRow(fields.right)

  def of(isLeft: Boolean): UnsafeRow = if (isLeft) left else right

  /** What `left` shows, as a result. */
  val ofLeft: InternalRow = new JoinedRow(left, JoinRules.nulls(fields.right))

  /** What `right` shows, as a result. */
  val ofRight: InternalRow = new JoinedRow(JoinRules.nulls(fields.left), right)
}
