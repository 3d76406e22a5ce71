package tidegate.own.rows

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform

/** An array of rows in a column of a row of the state, read without an object for each row. */
private[own] class RowArray {
  private var array: AnyRef = _
  private var offset = 0L
  private var first = 0L

  /** The number of rows. */
  var size: Int = 0

  /** The object that addresses refer to, like the base object of an `UnsafeRow`. */
  def base: AnyRef = array

  def pointTo(row: UnsafeRow, column: Int): Unit = {
    array = row.getBaseObject
    offset = row.getBaseOffset + (row.getLong(column) >>> 32)
    size = Platform.getLong(array, offset).toInt
    first = offset + UnsafeArrayData.calculateHeaderPortionInBytes(size)
  }

  private def place(i: Int): Long = Platform.getLong(array, first + 8L * i)

  /** The address where a row begins. */
  def address(i: Int): Long = offset + (place(i) >>> 32)

  /** The length of a row in bytes. */
  def bytes(i: Int): Int = place(i).toInt

  /** Lets `row` show a row of the array. */
  def show(i: Int, row: UnsafeRow): Unit = row.pointTo(array, address(i), bytes(i))
}
