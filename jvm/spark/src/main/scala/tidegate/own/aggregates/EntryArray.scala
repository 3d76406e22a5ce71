package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform

/** An array of entries inside a row, read without an object for each entry. */
private[own] final class EntryArray(entryFields: Int) {
  private val frameAt = UnsafeRow.calculateBitSetWidthInBytes(entryFields)
  private var array: AnyRef = _
  private var offset = 0L
  private var first = 0L

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

  /** The address where the entry begins. */
  def address(i: Int): Long = offset + (place(i) >>> 32)

  /** The length of the entry. */
  def bytes(i: Int): Int = place(i).toInt

  def frame(i: Int): Long = Platform.getLong(array, address(i) + frameAt)
}
