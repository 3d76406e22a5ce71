package tidegate.execution.due

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.core.due.DuePageBuffer

/**
 * A page in memory, in the bytes that its row will have.
 *
 * @param keyFields
 *   the number of columns of a key of the store
 * @param valueFields
 *   the number of columns of a value of the store; the last is `due`
 */
private[due] final class PageBuffer(keyFields: Int, valueFields: Int)
    extends DuePageBuffer[UnsafeRow] {
  import PageBuffer._

  private var entries = new Array[Byte](1024)
  private var used = 0
  private var starts = new Array[Int](16)
  private var count = 0
  private val view = new UnsafeRow(keyFields)

  override def size: Int = count

  override def isFull: Boolean = used >= FullBytes

  override def due(i: Int): Long = Platform.getLong(entries, address(starts(i) + DueAt))

  override def key(i: Int): UnsafeRow = {
    val end = if (i + 1 < count) starts(i + 1) else used
    view.pointTo(entries, address(starts(i) + KeyAt), end - starts(i) - KeyAt)
    view
  }

  override def add(key: UnsafeRow, dueMicros: Long): Unit = {
    val size = key.getSizeInBytes
    val at = used
    used = Math.addExact(used, KeyAt + size)
    if (used > entries.length) entries = Arrays.copyOf(entries, math.max(used, 2 * used))
    if (count == starts.length) starts = Arrays.copyOf(starts, 2 * count)
    starts(count) = at
    count += 1
    Platform.putLong(entries, address(at), 0L)
    Platform.putLong(entries, address(at + 8), KeyAt.toLong << 32 | size.toLong)
    Platform.putLong(entries, address(at + DueAt), dueMicros)
    key.writeToMemory(entries, address(at + KeyAt))
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
    val places = arrayStart + UnsafeArrayData.calculateHeaderPortionInBytes(count)
    var i = 0
    while (i < count) {
      val end = if (i + 1 < count) starts(i + 1) else used
      val place = (header + starts(i)).toLong << 32 | (end - starts(i)).toLong
      Platform.putLong(bytes, address(places + 8 * i), place)
      i += 1
    }
    System.arraycopy(entries, 0, bytes, arrayStart + header, used)
  }
}

private[due] object PageBuffer {

  /** A page with more bytes takes no more entries. */
  val FullBytes: Int = 16 * 1024

  /** An entry has null bits, the place of its key, and its time; then follows the key. */
  val DueAt = 16
  val KeyAt = 24

  /** `due` has null bits, and the places of `entries` and `buckets`. */
  private val DueFixedBytes = 24

  def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
