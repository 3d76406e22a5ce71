package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.window.FrameGrid

/** Writes a row of the state into a buffer that is reused for the next row. */
private[frames] final class FrameRowWriter(grid: FrameGrid) {
  import FrameRowWriter._

  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val row = new UnsafeRow(FrameRow.Columns)
  private var arrayAt = 0
  private var headerBytes = 0

  /** Begins a row. */
  def begin(closed: Long): Unit = {
    used = 0
    reserve(FixedBytes)
    Platform.putLong(bytes, address(0), 0L)
    Platform.putLong(bytes, address(8 + 8 * FrameRow.Closed), FrameRow.closed(closed))
    Platform.putLong(bytes, address(8 + 8 * FrameRow.Slide), grid.slide)
    Platform.putLong(bytes, address(8 + 8 * FrameRow.Offset), grid.offset)
    Platform.putLong(bytes, address(8 + 8 * FrameRow.Size), grid.size)
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

  def entries(column: Int, slots: BufferSlots, places: Array[Int], from: Int, until: Int): Unit = {
    beginArray(until - from, 8 * (until - from))
    var i = from
    while (i < until) {
      val size = slots.size(places(i))
      val at = used
      reserve(size)
      slots.store(places(i), bytes, address(at))
      val place = (at - arrayAt).toLong << 32 | size.toLong
      Platform.putLong(bytes, address(arrayAt + headerBytes + 8 * (i - from)), place)
      i += 1
    }
    endArray(column)
  }

  /** The row, valid until the next one begins. */
  def result(): UnsafeRow = {
    row.pointTo(bytes, used)
    row
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

private object FrameRowWriter {
  private val FixedBytes = 8 + 8 * FrameRow.Columns

  private def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
