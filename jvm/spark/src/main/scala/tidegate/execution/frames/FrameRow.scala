package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import tidegate.core.window.FrameGrid

/**
 * A row of the state. Each key has a head; what does not fit there is sealed into chunks, rows of
 * their own that are written once and read when they slide out.
 *
 * | column       | of a head                                                   | of a chunk  |
 * |:-------------|:------------------------------------------------------------|:------------|
 * | `closed`     | the end of the last window that was out when it was written | 0           |
 * | `slide`      | from one of its frames to the next, in µs                   | the same    |
 * | `offset`     | where frames begin, in µs from the epoch                    | the same    |
 * | `size`       | the length of the windows, in µs                            | the same    |
 * | `chunk_ids`  | the numbers of the chunks, in the order of their frames     | empty       |
 * | `chunk_ends` | the last frame of each                                      | empty       |
 * | `chunks`     | all entries of each merged into one, with its first frame   | empty       |
 * | `frames`     | the entries after the chunks                                | its entries |
 */
private[frames] object FrameRow {
  val Closed = 0
  val Slide = 1
  val Offset = 2
  val Size = 3
  val ChunkIds = 4
  val ChunkEnds = 5
  val Chunks = 6
  val Frames = 7
  val Columns = 8

  def schema(entry: StructType): StructType = StructType(
    Seq(
      StructField("closed", TimestampType, nullable = false),
      StructField("slide", LongType, nullable = false),
      StructField("offset", LongType, nullable = false),
      StructField("size", LongType, nullable = false),
      StructField("chunk_ids", ArrayType(IntegerType, containsNull = false), nullable = false),
      StructField("chunk_ends", ArrayType(TimestampType, containsNull = false), nullable = false),
      StructField("chunks", ArrayType(entry, containsNull = false), nullable = false),
      StructField("frames", ArrayType(entry, containsNull = false), nullable = false)
    )
  )
}

/** An array of entries in a row, without an object for each. */
private[frames] final class EntryArray(entryFields: Int) {
  private val frameAt = UnsafeRow.calculateBitSetWidthInBytes(entryFields)
  private var array: AnyRef = _
  private var offset = 0L
  private var first = 0L

  var size: Int = 0

  /** The object that addresses are in, as those of `UnsafeRow` are in its base object. */
  def base: AnyRef = array

  def pointTo(row: UnsafeRow, column: Int): Unit = {
    array = row.getBaseObject
    offset = row.getBaseOffset + (row.getLong(column) >>> 32)
    size = Platform.getLong(array, offset).toInt
    first = offset + UnsafeArrayData.calculateHeaderPortionInBytes(size)
  }

  private def place(i: Int): Long = Platform.getLong(array, first + 8L * i)

  /** Where the entry begins. */
  def address(i: Int): Long = offset + (place(i) >>> 32)

  /** Its length. */
  def bytes(i: Int): Int = place(i).toInt

  def frame(i: Int): Long = Platform.getLong(array, address(i) + frameAt)
}

/** Puts a row of the state together, in a buffer that is used again for the next one. */
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
    Platform.putLong(bytes, address(8 + 8 * FrameRow.Closed), closed)
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

  /** The row, good until the next one begins. */
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
