package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform

/**
 * Writes a row of the state into a buffer that is reused for the next row.
 *
 * @param columns
 *   up to 64, as the null bits of the row have one word
 */
private[frames] final class EntryRowWriter(columns: Int) {
  import EntryRowWriter._

  private val fixedBytes = 8 + 8 * columns
  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val row = new UnsafeRow(columns)
  private var arrayAt = 0
  private var headerBytes = 0

  /** Begins a row. Every column must be written. */
  def begin(): Unit = {
    used = 0
    reserve(fixedBytes)
    Platform.putLong(bytes, address(0), 0L)
  }

  def long(column: Int, value: Long): Unit =
    Platform.putLong(bytes, address(8 + 8 * column), value)

  def setNull(column: Int): Unit = {
    Platform.putLong(bytes, address(0), Platform.getLong(bytes, address(0)) | 1L << column)
    long(column, 0L)
  }

  def ints(column: Int, values: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, (4 * (until - from) + 7) / 8 * 8)
    (from until until).foreach { i =>
      Platform.putInt(bytes, address(arrayAt + headerBytes + 4 * (i - from)), values(i))
    }
    endArray(column)
  }

  def longs(column: Int, values: Array[Long], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    (from until until).foreach { i =>
      Platform.putLong(bytes, address(arrayAt + headerBytes + 8 * (i - from)), values(i))
    }
    endArray(column)
  }

  /** Structs of numbers: `value` has the fields of each. */
  def structs(column: Int, size: Int, fields: Int)(value: (Int, Int) => Long): Unit = {
    beginArray(size, 8 * size)
    (0 until size).foreach { i =>
      val at = used
      reserve(8 + 8 * fields)
      Platform.putLong(bytes, address(at), 0L)
      (0 until fields).foreach { f =>
        Platform.putLong(bytes, address(at + 8 + 8 * f), value(i, f))
      }
      putPlace(i, at)
    }
    endArray(column)
  }

  def entries(column: Int, slots: BufferSlots, places: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    var i = from
    while (i < until) {
      val at = used
      reserve(slots.size(places(i)))
      slots.store(places(i), bytes, address(at))
      putPlace(i - from, at)
      i += 1
    }
    endArray(column)
  }

  /** The row, valid until the next one begins. */
  def result(): UnsafeRow = {
    row.pointTo(bytes, used)
    row
  }

  /** What the array says of an element that begins at `at` and ends at the end of the row. */
  private def putPlace(element: Int, at: Int): Unit = {
    val place = (at - arrayAt).toLong << 32 | (used - at).toLong
    Platform.putLong(bytes, address(arrayAt + headerBytes + 8 * element), place)
  }

  private def beginArray(size: Int, elementBytes: Int): Unit = {
    arrayAt = used
    headerBytes = UnsafeArrayData.calculateHeaderPortionInBytes(size)
    reserve(headerBytes + elementBytes)
    java.util.Arrays.fill(bytes, arrayAt, used, 0.toByte)
    Platform.putLong(bytes, address(arrayAt), size.toLong)
  }

  private def endArray(column: Int): Unit =
    Platform.putLong(
      bytes,
      address(8 + 8 * column),
      arrayAt.toLong << 32 | (used - arrayAt).toLong
    )

  private def reserve(n: Int): Unit = {
    used = Math.addExact(used, n)
    if (used > bytes.length) bytes = java.util.Arrays.copyOf(bytes, math.max(used, used * 2))
  }
}

private object EntryRowWriter {
  private def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
