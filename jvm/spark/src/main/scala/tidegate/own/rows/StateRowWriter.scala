package tidegate.own.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods
import tidegate.own.rows.RowBytes.address

/**
 * Writes rows of a state, with arrays in them, into a buffer that is used again for the next row. A
 * subclass calls `begin`, sets columns in any order, and calls `result`.
 *
 * @param columns
 *   the number of columns of a row
 */
private[own] abstract class StateRowWriter(columns: Int) {
  private val fixedAt = UnsafeRow.calculateBitSetWidthInBytes(columns)
  private val fixedBytes = fixedAt + 8 * columns

  protected var bytes: Array[Byte] = new Array[Byte](4096)
  protected var used: Int = 0
  private val row = new UnsafeRow(columns)
  private var arrayAt = 0
  private var elementsAt = 0

  /** Begins a row in which all columns are NULL. */
  protected def begin(): Unit = {
    used = 0
    reserve(fixedBytes)
    Arrays.fill(bytes, 0, used, 0.toByte)
    var i = 0
    while (i < columns) {
      BitSetMethods.set(bytes, address(0), i)
      i += 1
    }
  }

  /** The row, valid until the next one begins. */
  def result(): UnsafeRow = {
    row.pointTo(bytes, used)
    row
  }

  protected def setNull(column: Int): Unit = {
    BitSetMethods.set(bytes, address(0), column)
    putLong(fixedAt + 8 * column, 0L)
  }

  protected def setLong(column: Int, value: Long): Unit = {
    BitSetMethods.unset(bytes, address(0), column)
    putLong(fixedAt + 8 * column, value)
  }

  protected def setRow(column: Int, nested: UnsafeRow): Unit = {
    val at = used
    reserve(nested.getSizeInBytes)
    nested.writeToMemory(bytes, address(at))
    setPlace(column, at)
  }

  /** An array of numbers. */
  def setLongs(column: Int, values: Array[Long], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    (from until until).foreach(i => putLong(elementsAt + 8 * (i - from), values(i)))
    endArray(column)
  }

  /** An array of numbers. */
  def setInts(column: Int, values: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, (4 * (until - from) + 7) / 8 * 8)
    (from until until).foreach { i =>
      Platform.putInt(bytes, address(elementsAt + 4 * (i - from)), values(i))
    }
    endArray(column)
  }

  protected def setBooleans(column: Int, size: Int)(is: Int => Boolean): Unit = {
    beginArray(size, (size + 7) / 8 * 8)
    var i = 0
    while (i < size) {
      Platform.putBoolean(bytes, address(elementsAt + i), is(i))
      i += 1
    }
    endArray(column)
  }

  /** An array of rows. */
  protected def setRows(column: Int, rows: RowBytes): Unit = {
    beginArray(rows.size, 8 * rows.size)
    val first = used
    reserve(rows.byteSize)
    rows.store(bytes, first)
    var i = 0
    while (i < rows.size) {
      setElement(i, first + rows.start(i), rows.sizeOf(i))
      i += 1
    }
    endArray(column)
  }

  /** An array of structs of numbers, all with the same number of fields, which begin as 0. */
  protected def setStructs(column: Int, size: Int, fields: Int)(
      write: (Int, UnsafeRow) => Unit
  ): Unit = {
    val structBytes = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
    beginArray(size, 8 * size)
    val struct = new UnsafeRow(fields)
    (0 until size).foreach { i =>
      val at = used
      reserve(structBytes)
      Arrays.fill(bytes, at, used, 0.toByte)
      struct.pointTo(bytes, address(at), structBytes)
      write(i, struct)
      setElement(i, at, structBytes)
    }
    endArray(column)
  }

  /** Begins an array whose elements are written by `setElement`, or into their places. */
  protected def beginArray(size: Int, elementBytes: Int): Unit = {
    arrayAt = used
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(size)
    reserve(header + elementBytes)
    Arrays.fill(bytes, arrayAt, used, 0.toByte)
    putLong(arrayAt, size.toLong)
    elementsAt = arrayAt + header
  }

  /** Says where an element of variable length is. */
  protected def setElement(i: Int, at: Int, size: Int): Unit =
    putLong(elementsAt + 8 * i, (at - arrayAt).toLong << 32 | size.toLong)

  /** The array is all that was written since it began. */
  protected def endArray(column: Int): Unit = setPlace(column, arrayAt)

  /** The value of a column is all that was written from a place on. */
  private def setPlace(column: Int, from: Int): Unit =
    setLong(column, from.toLong << 32 | (used - from).toLong)

  private def putLong(at: Int, value: Long): Unit = Platform.putLong(bytes, address(at), value)

  /** Takes `n` more bytes. */
  protected def reserve(n: Int): Unit = {
    used = Math.addExact(used, n)
    if (used > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(RowBytes.MostBytes, 2L * used).toInt)
  }
}
