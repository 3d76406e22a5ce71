package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import tidegate.own.join.JoinStateSchema._

/** Rows of both sides: those of a head, or of a chunk. */
private[join] final class TwoSides(leftFields: Int, rightFields: Int, times: Sides[SideTime]) {
  val left: SideRows = new SideRows
  val right: SideRows = new SideRows
  private val leftRow = new UnsafeRow(leftFields)
  private val rightRow = new UnsafeRow(rightFields)

  def of(isLeft: Boolean): SideRows = if (isLeft) left else right

  def size: Int = left.size + right.size

  def byteSize: Long = left.byteSize.toLong + right.byteSize

  def isEmpty: Boolean = size == 0

  /** Whether a row has found a partner since the rows were read. */
  def isChanged: Boolean = left.isChanged || right.isChanged

  def clear(): Unit = {
    left.clear()
    right.clear()
  }

  /** Takes the rows of a value of the state in place of those before. */
  def read(value: UnsafeRow): Unit = {
    clear()
    if (!value.isNullAt(Left)) left.addAll(value.getArray(Left), times.left, leftRow)
    if (!value.isNullAt(Right)) right.addAll(value.getArray(Right), times.right, rightRow)
    if (!value.isNullAt(Matched)) readMatched(value.getArray(Matched))
  }

  private def readMatched(matched: UnsafeArrayData): Unit = {
    val (lefts, all) = (left.size, size)
    var i = 0
    while (i < all) {
      if (matched.getBoolean(i)) {
        if (i < lefts) left.wasMatched(i) else right.wasMatched(i - lefts)
      }
      i += 1
    }
  }
}
