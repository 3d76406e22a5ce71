package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

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
