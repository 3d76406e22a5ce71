package tidegate.execution.join

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform

/**
 * Rows of one side of a join in memory, in a buffer that is used again for other rows: each with
 * its time in µs, and whether it has found a partner.
 */
private[join] final class SideRows {
  import SideRows._

  private var bytes = new Array[Byte](1024)
  private var used = 0
  private var starts = new Array[Int](16)
  private var micros = new Array[Long](16)
  private var found = new Array[Boolean](16)
  private var count = 0
  private var isMarked = false

  /** The number of rows. */
  def size: Int = count

  /** The bytes of all rows. */
  def byteSize: Int = used

  def time(i: Int): Long = micros(i)

  def isMatched(i: Int): Boolean = found(i)

  /** Marks a row that has found a partner. */
  def setMatched(i: Int): Unit = if (!found(i)) {
    found(i) = true
    isMarked = true
  }

  /** Whether a row was marked since the rows were cleared. */
  def isChanged: Boolean = isMarked

  /** Lets `row` show a row until rows are added or removed. */
  def point(i: Int, row: UnsafeRow): Unit =
    row.pointTo(bytes, address(starts(i)), sizeOf(i))

  def sizeOf(i: Int): Int = (if (i + 1 < count) starts(i + 1) else used) - starts(i)

  def clear(): Unit = {
    used = 0
    count = 0
    isMarked = false
    // One large key must not cost memory for ever.
    if (bytes.length > MostKept) bytes = new Array[Byte](1024)
  }

  def add(row: UnsafeRow, timeMicros: Long): Unit =
    add(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, timeMicros, isMatched = false)

  /** Adds a row of other rows. */
  def add(other: SideRows, i: Int): Unit =
    add(
      other.bytes,
      address(other.starts(i)),
      other.sizeOf(i),
      other.micros(i),
      other.found(i)
    )

  /** Notes that a row from the state had found a partner before. */
  def wasMatched(i: Int): Unit = found(i) = true

  /** Adds the rows of an array in the state. */
  def addAll(array: UnsafeArrayData, time: SideTime, row: UnsafeRow): Unit = {
    var i = 0
    val n = array.numElements
    while (i < n) {
      val place = array.getLong(i)
      row.pointTo(array.getBaseObject, array.getBaseOffset + (place >>> 32), place.toInt)
      add(row, time.micros(row))
      i += 1
    }
  }

  private def add(from: Object, at: Long, size: Int, time: Long, isMatched: Boolean): Unit = {
    val end = Math.addExact(used, size)
    if (end > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(MostBytes, math.max(end.toLong, 2L * end)).toInt)
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count)
      micros = Arrays.copyOf(micros, 2 * count)
      found = Arrays.copyOf(found, 2 * count)
    }
    Platform.copyMemory(from, at, bytes, address(used), size.toLong)
    starts(count) = used
    micros(count) = time
    found(count) = isMatched
    used = end
    count += 1
  }

  /** Removes the rows for which `leaves` holds; the others keep their order. */
  def removeIf(leaves: Int => Boolean): Unit = {
    var i = 0
    var kept = 0
    var end = 0
    val (n, all) = (count, used)
    while (i < n) {
      val next = if (i + 1 < n) starts(i + 1) else all
      if (!leaves(i)) {
        val size = next - starts(i)
        if (end != starts(i)) System.arraycopy(bytes, starts(i), bytes, end, size)
        starts(kept) = end
        micros(kept) = micros(i)
        found(kept) = found(i)
        end += size
        kept += 1
      }
      i += 1
    }
    count = kept
    used = end
  }

  /** The lowest time; [[Long.MaxValue]] if there are no rows. */
  def lowest(onlyUnmatched: Boolean): Long = {
    var (i, low) = (0, Long.MaxValue)
    while (i < count) {
      if (micros(i) < low && !(onlyUnmatched && found(i))) low = micros(i)
      i += 1
    }
    low
  }

  /** The highest time; [[Long.MinValue]] if there are no rows. */
  def highest: Long = {
    var (i, high) = (0, Long.MinValue)
    while (i < count) {
      if (micros(i) > high) high = micros(i)
      i += 1
    }
    high
  }

  /** Copies the bytes of all rows. */
  def store(to: Array[Byte], at: Int): Unit = System.arraycopy(bytes, 0, to, at, used)

  /** Where a row begins in what `store` copies. */
  def start(i: Int): Int = starts(i)
}

private object SideRows {

  /** Larger buffers are given back. */
  private val MostKept = 1 << 20

  /** The largest array that every JVM makes. */
  private val MostBytes = Int.MaxValue - 15L

  private def address(at: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + at
}
