package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import tidegate.columns.EventTimeTag

/**
 * The time of a row by which it leaves the state: a column, or the end of a window.
 *
 * @param ordinal
 *   the place of the column in the row
 */
private[join] final case class SideTime(ordinal: Int, isWindow: Boolean) {

  def isNull(row: UnsafeRow): Boolean = row.isNullAt(ordinal)

  /** In µs from the epoch. */
  def micros(row: UnsafeRow): Long =
    if (isWindow) row.getStruct(ordinal, 2).getLong(1) else row.getLong(ordinal)
}

private[join] object SideTime {

  /** A column of the output of a side. */
  def of(time: Attribute, output: Seq[Attribute]): SideTime = {
    val ordinal = output.indexWhere(_.exprId == time.exprId)
    // Memory would be read that is not the row's.
    if (ordinal < 0)
      throw new IllegalStateException(s"The time $time is not in ${output.mkString(", ")}.")
    SideTime(ordinal, EventTimeTag.isWindow(time))
  }
}
