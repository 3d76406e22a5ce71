package tidegate.execution.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

/**
 * Goes through pairs of rows, finds those that the condition of the join lets pass, and marks both
 * rows of a pair.
 *
 * @param isPair
 *   the condition on both rows
 * @param reach
 *   how much later than the left row the right one may be
 * @param isOnce
 *   whether a left row needs no second partner, as in a left semi or anti join
 */
private[join] final class Pairing(
    leftFields: Int,
    rightFields: Int,
    isPair: InternalRow => Boolean,
    reach: Reach,
    isOnce: Boolean
) {
  private val leftRow = new UnsafeRow(leftFields)
  private val rightRow = new UnsafeRow(rightFields)
  private val joined = new JoinedRow(leftRow, rightRow)

  /**
   * The pairs of some left rows with some right rows, in one row that is filled again for the next
   * pair. No rows may be added or removed before the last pair is taken.
   */
  def pairs(left: SideRows, lefts: Range, right: SideRows, rights: Range): Iterator[JoinedRow] =
    if (lefts.isEmpty || rights.isEmpty) Iterator.empty else new Pairs(left, lefts, right, rights)

  private final class Pairs(left: SideRows, lefts: Range, right: SideRows, rights: Range)
      extends Iterator[JoinedRow] {
    private var l = lefts.start
    private var r = rights.start
    private var isFound = false
    left.point(l, leftRow)

    override def hasNext: Boolean = {
      if (!isFound) find()
      isFound
    }

    override def next(): JoinedRow = {
      if (!hasNext) throw new NoSuchElementException("there are no more pairs")
      isFound = false
      joined
    }

    private def find(): Unit = while (!isFound && l < lefts.end) {
      if (r == rights.end || isOnce && left.isMatched(l)) nextLeft()
      else {
        if (reach.includes(left.time(l), right.time(r))) {
          right.point(r, rightRow)
          if (isPair(joined)) {
            isFound = true
            left.setMatched(l)
            right.setMatched(r)
          }
        }
        r += 1
      }
    }

    private def nextLeft(): Unit = {
      l += 1
      r = rights.start
      if (l < lefts.end) left.point(l, leftRow)
    }
  }
}
