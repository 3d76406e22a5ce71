package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.Saturating

/**
 * Writes a row with arrays of entries into a buffer that is reused for the next row.
 *
 * @param shift
 *   what is added to the frame of each entry, in µs
 */
private[own] abstract class StateRowWriter(columns: Int, entryFields: Int, shift: Long) {
  private val fixedBytes = UnsafeRow.calculateBitSetWidthInBytes(columns) + 8 * columns
  private val frameAt = UnsafeRow.calculateBitSetWidthInBytes(entryFields)

  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val row = new UnsafeRow(columns)
  private var arrayAt = 0
  private var headerBytes = 0

  /** The row, valid until the next one begins. */
  def result(): UnsafeRow = {
    row.pointTo(bytes, used)
    row
  }

  /** Begins a row without values. */
  protected def begin(): Unit = {
    used = 0
    reserve(fixedBytes)
    java.util.Arrays.fill(bytes, 0, used, 0.toByte)
  }

  protected def setLong(column: Int, value: Long): Unit =
    Platform.putLong(bytes, address(at(column)), value)

  protected def setNull(column: Int): Unit = {
    row.pointTo(bytes, used)
    row.setNullAt(column)
  }

  /** Copies an entry to the first columns: the row must have as many words of null bits. */
  protected def setFirst(slots: BufferSlots, place: Int): Unit = {
    slots.store(place, bytes, address(0))
    shiftFrame(0)
  }

  protected def setRow(column: Int, nested: UnsafeRow): Unit = {
    val begin = used
    reserve(nested.getSizeInBytes)
    nested.writeToMemory(bytes, address(begin))
    setPlace(column, begin)
  }

  def ints(column: Int, values: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, (4 * (until - from) + 7) / 8 * 8)
    (from until until).foreach { i =>
      Platform.putInt(bytes, address(arrayAt + headerBytes + 4 * (i - from)), values(i))
    }
    setPlace(column, arrayAt)
  }

  def longs(column: Int, values: Array[Long], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    (from until until).foreach { i =>
      Platform.putLong(bytes, address(arrayAt + headerBytes + 8 * (i - from)), values(i))
    }
    setPlace(column, arrayAt)
  }

  def entries(column: Int, slots: BufferSlots, places: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    var i = from
    while (i < until) {
      val at = used
      reserve(slots.size(places(i)))
      slots.store(places(i), bytes, address(at))
      shiftFrame(at)
      setElement(i - from, at)
      i += 1
    }
    setPlace(column, arrayAt)
  }

  /** Structs of numbers: `value` has the fields of each. */
  protected def structs(column: Int, size: Int, fields: Int)(value: (Int, Int) => Long): Unit = {
    beginArray(size, 8 * size)
    (0 until size).foreach { i =>
      val at = used
      reserve(8 + 8 * fields)
      Platform.putLong(bytes, address(at), 0L)
      (0 until fields).foreach { f =>
        Platform.putLong(bytes, address(at + 8 + 8 * f), value(i, f))
      }
      setElement(i, at)
    }
    setPlace(column, arrayAt)
  }

  private def shiftFrame(entryAt: Int): Unit = if (shift != 0) {
    val frame = address(entryAt + frameAt)
    Platform.putLong(bytes, frame, Saturating.add(Platform.getLong(bytes, frame), shift))
  }

  private def beginArray(size: Int, elementBytes: Int): Unit = {
    arrayAt = used
    headerBytes = UnsafeArrayData.calculateHeaderPortionInBytes(size)
    reserve(headerBytes + elementBytes)
    java.util.Arrays.fill(bytes, arrayAt, used, 0.toByte)
    Platform.putLong(bytes, address(arrayAt), size.toLong)
  }

  /** The value of the column is all that was written from `begin` on. */
  private def setPlace(column: Int, begin: Int): Unit =
    setLong(column, begin.toLong << 32 | (used - begin).toLong)

  /** The element of the array is all that was written from `begin` on. */
  private def setElement(i: Int, begin: Int): Unit =
    Platform.putLong(
      bytes,
      address(arrayAt + headerBytes + 8 * i),
      (begin - arrayAt).toLong << 32 | (used - begin).toLong
    )

  private def at(column: Int): Int = fixedBytes - 8 * (columns - column)

  private def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at

  private def reserve(n: Int): Unit = {
    used = Math.addExact(used, n)
    if (used > bytes.length) bytes = java.util.Arrays.copyOf(bytes, math.max(used, used * 2))
  }
}
