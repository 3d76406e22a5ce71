package tidegate.own.due

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform
import tidegate.core.due.DuePageBuffer

/**
 * A page in memory: its keys, one after the other, and their times.
 *
 * @param schema
 *   the key of all rows of the store; the last column is `due_page`
 */
private[due] final class PageBuffer(schema: StructType) extends DuePageBuffer[UnsafeRow] {
  private var keys = new Array[Byte](1024)
  private var used = 0
  private var starts = new Array[Int](16)
  private var times = new Array[Long](16)
  private var count = 0
  private val view = new UnsafeRow(schema.size)

  override def size: Int = count

  override def isFull: Boolean = used >= PageBuffer.FullBytes

  override def due(i: Int): Long = times(i)

  override def key(i: Int): UnsafeRow = {
    val end = if (i + 1 < count) starts(i + 1) else used
    view.pointTo(keys, Platform.BYTE_ARRAY_OFFSET.toLong + starts(i), end - starts(i))
    view
  }

  override def add(key: UnsafeRow, dueMicros: Long): Unit = {
    val at = used
    used = Math.addExact(used, key.getSizeInBytes)
    if (used > keys.length) keys = Arrays.copyOf(keys, math.max(used, 2 * used))
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count)
      times = Arrays.copyOf(times, 2 * count)
    }
    starts(count) = at
    times(count) = dueMicros
    count += 1
    key.writeToMemory(keys, Platform.BYTE_ARRAY_OFFSET.toLong + at)
  }

  /**
   * The `entries` of the page: an array for each column of the keys but the last, and the times.
   */
  def columns: InternalRow = {
    val ofKeys = schema.init.zipWithIndex.map { case (column, c) =>
      new GenericArrayData(Array.tabulate[Any](count)(i => key(i).get(c, column.dataType)))
    }
    InternalRow.fromSeq(ofKeys :+ new GenericArrayData(times.take(count)))
  }
}

private[due] object PageBuffer {

  /** A page with more bytes of keys takes no more entries. */
  private val FullBytes: Int = 16 * 1024
}
