package tidegate.execution.order

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform
import tidegate.execution.order.OrderStateSchema._

/** A page in memory that is being filled, and the values of the state as they are written. */
private[order] final class PageWriter(sizes: PageSizes) {
  import PageWriter._

  private val rows = new RowBytes
  private var batches = new Array[Long](64)
  private var numbers = new Array[Long](64)
  private var firstMicros = 0L

  private var bytes = new Array[Byte](4096)
  private var used = 0
  private val value = new UnsafeRow(PageColumns)

  def isEmpty: Boolean = rows.size == 0

  /** Whether there is room for one more row. */
  def fits(row: UnsafeRow): Boolean = rows.size == 0 ||
    rows.size < sizes.rows && rows.byteSize.toLong + row.getSizeInBytes <= sizes.bytes

  /** Adds a row, which comes after all other rows of the page. */
  def add(micros: Long, batchId: Long, number: Long, row: UnsafeRow): Unit = {
    val i = rows.size
    if (i == 0) firstMicros = micros
    if (i == batches.length) {
      batches = Arrays.copyOf(batches, 2 * i)
      numbers = Arrays.copyOf(numbers, 2 * i)
    }
    batches(i) = batchId
    numbers(i) = number
    rows.add(row)
  }

  /** The arrival of the first row. */
  def first: Arrival = new Arrival(firstMicros, batches(0), numbers(0))

  /** The value of the page, valid until the next value. The page is empty then. */
  def page(): UnsafeRow = {
    begin()
    writeRows()
    if (!isInARow) {
      writeLongs(Batches, batches)
      writeLongs(Numbers, numbers)
    }
    rows.clear()
    value.pointTo(bytes, used)
    value
  }

  /** The value of a head, valid until the next value. */
  def head(taken: Option[Taken], waiting: Long): UnsafeRow = {
    begin()
    taken.foreach { t =>
      value.setLong(TakenUpTo, t.upTo)
      value.setLong(TakenIn, t.batchId)
    }
    value.setLong(Waiting, waiting)
    value
  }

  /** Whether the rows came one after the other: then the arrival of the first one tells all. */
  private def isInARow: Boolean = {
    var i = 1
    while (i < rows.size && batches(i) == batches(0) && numbers(i) == numbers(0) + i) i += 1
    i >= rows.size
  }

  private def begin(): Unit = {
    used = 0
    reserve(FixedBytes)
    value.pointTo(bytes, FixedBytes)
    (0 until PageColumns).foreach(value.setNullAt)
  }

  private def writeRows(): Unit = {
    val (array, header) = (used, UnsafeArrayData.calculateHeaderPortionInBytes(rows.size))
    val first = header + 8 * rows.size
    reserve(Math.addExact(first, rows.byteSize))
    Platform.putLong(bytes, RowBytes.address(array), rows.size.toLong)
    var i = 0
    while (i < rows.size) {
      val place = (first + rows.start(i)).toLong << 32 | rows.sizeOf(i).toLong
      Platform.putLong(bytes, RowBytes.address(array + header + 8 * i), place)
      i += 1
    }
    rows.store(bytes, array + first)
    end(Rows, array)
  }

  private def writeLongs(column: Int, longs: Array[Long]): Unit = {
    val (array, header) = (used, UnsafeArrayData.calculateHeaderPortionInBytes(rows.size))
    reserve(header + 8 * rows.size)
    Platform.putLong(bytes, RowBytes.address(array), rows.size.toLong)
    var i = 0
    while (i < rows.size) {
      Platform.putLong(bytes, RowBytes.address(array + header + 8 * i), longs(i))
      i += 1
    }
    end(column, array)
  }

  private def end(column: Int, array: Int): Unit = {
    value.pointTo(bytes, FixedBytes)
    value.setLong(column, array.toLong << 32 | (used - array).toLong)
  }

  /** Takes `n` more bytes, all of them 0. */
  private def reserve(n: Int): Unit = {
    val from = used
    used = Math.addExact(used, n)
    if (used > bytes.length)
      bytes = Arrays.copyOf(bytes, math.min(Int.MaxValue - 15L, 2L * used).toInt)
    Arrays.fill(bytes, from, used, 0.toByte)
  }
}

private object PageWriter {
  private val FixedBytes = UnsafeRow.calculateBitSetWidthInBytes(PageColumns) + 8 * PageColumns
}
