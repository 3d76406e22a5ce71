package tidegate.own.order

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.own.order.OrderStateSchema._
import tidegate.own.rows.{RowBytes, StateRowWriter}

/** A page in memory that is being filled, and the values of the state as they are written. */
private[order] final class PageWriter(sizes: PageSizes) extends StateRowWriter(PageColumns) {
  private val rows = new RowBytes
  private var batches = new Array[Long](64)
  private var numbers = new Array[Long](64)
  private var firstMicros = 0L

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
    setRows(Rows, rows)
    if (!isInARow) {
      setLongs(Batches, batches, 0, rows.size)
      setLongs(Numbers, numbers, 0, rows.size)
    }
    rows.clear()
    result()
  }

  /** The value of a head, valid until the next value. */
  def head(taken: Option[Taken], waiting: Long): UnsafeRow = {
    begin()
    taken.foreach { t =>
      setLong(TakenUpTo, t.upTo)
      setLong(TakenIn, t.batchId)
    }
    setLong(Waiting, waiting)
    result()
  }

  /** Whether the rows came one after the other: then the arrival of the first one tells all. */
  private def isInARow: Boolean = {
    var i = 1
    while (i < rows.size && batches(i) == batches(0) && numbers(i) == numbers(0) + i) i += 1
    i >= rows.size
  }
}
