package tidegate.execution.order

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows in memory, one behind the other, in an array that is used again. */
private[order] final class RowBytes {
  private var bytes = new Array[Byte](4096)
  private var used = 0
  private var starts = new Array[Int](64)
  private var count = 0

  /** The number of rows. */
  def size: Int = count

  /** The bytes of all rows. */
  def byteSize: Int = used

  /** Where a row begins, among the bytes of all rows. */
  def start(i: Int): Int = starts(i)

  def sizeOf(i: Int): Int = (if (i + 1 < count) starts(i + 1) else used) - starts(i)

  def add(row: UnsafeRow): Unit = {
    val (at, size) = (used, row.getSizeInBytes)
    used = Math.addExact(at, size)
    if (used > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(RowBytes.MostBytes, 2L * used).toInt)
    if (count == starts.length) starts = Arrays.copyOf(starts, 2 * count)
    starts(count) = at
    count += 1
    row.writeToMemory(bytes, RowBytes.address(at))
  }

  /** Lets `row` show a row until others are added. */
  def point(i: Int, row: UnsafeRow): Unit =
    row.pointTo(bytes, RowBytes.address(starts(i)), sizeOf(i))

  /** Copies the bytes of all rows. */
  def store(to: Array[Byte], at: Int): Unit = System.arraycopy(bytes, 0, to, at, used)

  def clear(): Unit = {
    used = 0
    count = 0
  }
}

private[order] object RowBytes {

  /** The largest array that every JVM makes. */
  private val MostBytes = Int.MaxValue - 15L

  def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
