package tidegate.own.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.own.rows.RowBytes.address

/**
 * Writes values of a state with arrays in them into a buffer that is used again for the next value.
 * Between `begin` and `result`, fixed columns are set before the first array is written.
 *
 * @param columns
 *   the number of columns of a value
 */
private[own] abstract class ValueWriter(columns: Int) {
  private val fixedBytes = UnsafeRow.calculateBitSetWidthInBytes(columns) + 8 * columns
  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val row = new UnsafeRow(columns)

  /** Begins a value in which all columns are NULL. */
  protected def begin(): Unit = {
    used = 0
    reserve(fixedBytes)
    row.pointTo(bytes, fixedBytes)
    var i = 0
    while (i < columns) {
      row.setNullAt(i)
      i += 1
    }
  }

  /** The value, valid until the next one begins. */
  protected def result(): UnsafeRow = {
    row.pointTo(bytes, used)
    row
  }

  protected def setLong(column: Int, value: Long): Unit = row.setLong(column, value)

  /** An array of structs. */
  protected def setRows(column: Int, rows: RowBytes): Unit = {
    val array = used
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(rows.size)
    val first = beginArray(rows.size, 8 * rows.size) - array
    reserve(rows.byteSize)
    rows.store(bytes, array + first)
    var i = 0
    while (i < rows.size) {
      putLong(array + header + 8 * i, (first + rows.start(i)).toLong << 32 | rows.sizeOf(i).toLong)
      i += 1
    }
    endArray(column, array)
  }

  /** An array of the first `size` numbers. */
  protected def setLongs(column: Int, numbers: Array[Long], size: Int): Unit = {
    val array = used
    val first = beginArray(size, 8 * size) - 8 * size
    var i = 0
    while (i < size) {
      putLong(first + 8 * i, numbers(i))
      i += 1
    }
    endArray(column, array)
  }

  protected def setBooleans(column: Int, size: Int)(is: Int => Boolean): Unit = {
    val array = used
    val elementBytes = (size + 7) / 8 * 8
    val first = beginArray(size, elementBytes) - elementBytes
    var i = 0
    while (i < size) {
      Platform.putBoolean(bytes, address(first + i), is(i))
      i += 1
    }
    endArray(column, array)
  }

  /** An array of structs of numbers, all with the same number of fields. */
  protected def setStructs(column: Int, size: Int, fields: Int)(
      write: (Int, UnsafeRow) => Unit
  ): Unit = {
    val (array, structBytes) = (used, UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields)
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(size)
    val end = beginArray(size, (8 + structBytes) * size)
    val struct = new UnsafeRow(fields)
    (0 until size).foreach { i =>
      val at = end - structBytes * (size - i)
      putLong(array + header + 8 * i, (at - array).toLong << 32 | structBytes.toLong)
      struct.pointTo(bytes, address(at), structBytes)
      write(i, struct)
    }
    endArray(column, array)
  }

  /** Takes bytes for an array and its elements, and returns where they end. */
  private def beginArray(size: Int, elementBytes: Int): Int = {
    val array = used
    reserve(UnsafeArrayData.calculateHeaderPortionInBytes(size) + elementBytes)
    putLong(array, size.toLong)
    used
  }

  private def endArray(column: Int, array: Int): Unit = {
    // The buffer may be another one since the value began.
    row.pointTo(bytes, fixedBytes)
    row.setLong(column, array.toLong << 32 | (used - array).toLong)
  }

  private def putLong(at: Int, value: Long): Unit = Platform.putLong(bytes, address(at), value)

  /** Takes `n` more bytes, all of them 0. */
  private def reserve(n: Int): Unit = {
    val from = used
    used = Math.addExact(used, n)
    if (used > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(RowBytes.MostBytes, 2L * used).toInt)
    Arrays.fill(bytes, from, used, 0.toByte)
  }
}
