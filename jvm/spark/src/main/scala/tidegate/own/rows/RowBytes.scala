package tidegate.own.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Rows in memory, one behind the other, in an array that is used again.
 *
 * @param mostKept
 *   an array with more bytes is given back when the rows are forgotten
 */
private[own] final class RowBytes(mostKept: Int = Int.MaxValue) {
  import RowBytes._

  private var bytes = new Array[Byte](FirstBytes)
  private var used = 0
  private var starts = new Array[Int](16)
  private var count = 0

  /** The number of rows. */
  def size: Int = count

  /** The bytes of all rows. */
  def byteSize: Int = used

  /** Where a row begins, among the bytes of all rows. */
  def start(i: Int): Int = starts(i)

  def sizeOf(i: Int): Int = end(i) - starts(i)

  def add(row: UnsafeRow): Unit = add(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)

  /** Adds a row of other rows. */
  def add(other: RowBytes, i: Int): Unit =
    add(other.bytes, address(other.starts(i)), other.sizeOf(i))

  private def add(from: Object, offset: Long, size: Int): Unit = {
    val at = used
    used = Math.addExact(at, size)
    // What copies the bytes does not look where the array ends.
    if (used > MostBytes) throw new ArithmeticException(s"$used bytes do not fit into an array")
    if (used > bytes.length) bytes = Arrays.copyOf(bytes, math.min(MostBytes, 2L * used).toInt)
    if (count == starts.length) starts = Arrays.copyOf(starts, 2 * count)
    starts(count) = at
    count += 1
    Platform.copyMemory(from, offset, bytes, address(at), size.toLong)
  }

  /** Lets `row` show a row until rows are added or removed. */
  def point(i: Int, row: UnsafeRow): Unit = row.pointTo(bytes, address(starts(i)), sizeOf(i))

  /**
   * Removes the rows for which `leaves` holds; the others keep their order.
   *
   * @param move
   *   gets the number of each row that stays, and then its new number
   */
  def removeIf(leaves: Int => Boolean)(move: (Int, Int) => Unit): Unit = {
    var (i, kept, next) = (0, 0, 0)
    while (i < count) {
      val (from, to) = (starts(i), end(i))
      if (!leaves(i)) {
        if (next != from) System.arraycopy(bytes, from, bytes, next, to - from)
        starts(kept) = next
        move(i, kept)
        next += to - from
        kept += 1
      }
      i += 1
    }
    count = kept
    used = next
  }

  /** Copies the bytes of all rows. */
  def store(to: Array[Byte], at: Int): Unit = System.arraycopy(bytes, 0, to, at, used)

  def clear(): Unit = {
    used = 0
    count = 0
    if (bytes.length > mostKept) bytes = new Array[Byte](FirstBytes)
  }

  private def end(i: Int): Int = if (i + 1 < count) starts(i + 1) else used
}

private[own] object RowBytes {
  private val FirstBytes = 1024

  /** The largest array that every JVM makes. */
  val MostBytes: Long = Int.MaxValue - 15L

  /** Where a byte of an array is, for Spark's `Platform`. */
  def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
