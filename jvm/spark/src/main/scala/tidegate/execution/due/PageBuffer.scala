package tidegate.execution.due

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.due.DuePageBuffer

/**
 * A page in memory. The time of an entry has the place of the last column of its key, which is NULL,
 * but only in the row of the page.
 *
 * @param keyFields
 *   the number of columns of a key of the store; the last is `due_page`
 * @param valueFields
 *   the number of columns of a value of the store; the last is `due`
 */
private[due] final class PageBuffer(keyFields: Int, valueFields: Int)
    extends DuePageBuffer[UnsafeRow] {
  import PageBuffer._

  private var entries = new Array[Byte](1024)
  private var used = 0
  private var starts = new Array[Int](16)
  private var times = new Array[Long](16)
  private var count = 0
  private val view = new UnsafeRow(keyFields)

  override def size: Int = count

  override def isFull: Boolean = used >= FullBytes

  override def due(i: Int): Long = times(i)

  override def key(i: Int): UnsafeRow = {
    view.pointTo(entries, address(starts(i)), end(i) - starts(i))
    view
  }

  private def end(i: Int): Int = if (i + 1 < count) starts(i + 1) else used

  override def add(key: UnsafeRow, dueMicros: Long): Unit = {
    val at = used
    used = Math.addExact(used, key.getSizeInBytes)
    if (used > entries.length) entries = Arrays.copyOf(entries, math.max(used, 2 * used))
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count)
      times = Arrays.copyOf(times, 2 * count)
    }
    starts(count) = at
    times(count) = dueMicros
    count += 1
    key.writeToMemory(entries, address(at))
  }

  /** The value of the page: all columns are NULL but the last, and there `buckets` is NULL. */
  def row(): UnsafeRow = {
    val bitSet = UnsafeRow.calculateBitSetWidthInBytes(valueFields)
    val dueStart = bitSet + 8 * valueFields
    val arrayStart = dueStart + DueFixedBytes
    val header = UnsafeArrayData.calculateHeaderPortionInBytes(count) + 8 * count
    val bytes = new Array[Byte](Math.addExact(arrayStart + header, used))
    val row = new UnsafeRow(valueFields)
    row.pointTo(bytes, bytes.length)
    (0 until valueFields - 1).foreach(row.setNullAt)
    val dueSize = bytes.length - dueStart
    row.setLong(valueFields - 1, dueStart.toLong << 32 | dueSize.toLong)
    val due = new UnsafeRow(2)
    due.pointTo(bytes, address(dueStart), dueSize)
    due.setLong(0, DueFixedBytes.toLong << 32 | (dueSize - DueFixedBytes).toLong)
    due.setNullAt(1)
    writeArray(bytes, arrayStart, header)
    row
  }

  private def writeArray(bytes: Array[Byte], arrayStart: Int, header: Int): Unit = {
    Platform.putLong(bytes, address(arrayStart), count.toLong)
    System.arraycopy(entries, 0, bytes, arrayStart + header, used)
    val places = arrayStart + UnsafeArrayData.calculateHeaderPortionInBytes(count)
    var i = 0
    while (i < count) {
      val (start, size) = (header + starts(i), end(i) - starts(i))
      Platform.putLong(bytes, address(places + 8 * i), start.toLong << 32 | size.toLong)
      view.pointTo(bytes, address(arrayStart + start), size)
      view.setLong(keyFields - 1, times(i))
      i += 1
    }
  }
}

private[due] object PageBuffer {

  /** A page with more bytes takes no more entries. */
  val FullBytes: Int = 16 * 1024

  /** `due` has null bits, and the places of `entries` and `buckets`. */
  private val DueFixedBytes = 24

  def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
