package tidegate.own.order

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}

/**
 * Goes through the rows of a page that are still there. It begins at the first of them.
 *
 * @param key
 *   the arrival of the first row of the page
 * @param value
 *   the page, which stays as it is
 * @param fields
 *   the number of columns of a row
 * @param timeOf
 *   the time of a row, in µs
 */
private[order] final class PageCursor(
    val key: Arrival,
    value: UnsafeRow,
    fields: Int,
    timeOf: UnsafeRow => Long,
    taken: Option[Taken]
) extends Comparable[PageCursor] {
  private val rows = value.getArray(OrderStateSchema.Rows)
  private val batches = longs(OrderStateSchema.Batches)
  private val numbers = longs(OrderStateSchema.Numbers)
  private val size = rows.numElements
  private var i = 0

  /** The row at which it is. */
  val row: UnsafeRow = new UnsafeRow(fields)

  /** The time of the row. */
  var micros: Long = 0L

  // A page has rows from after `taken`, or those of one batch, or nothing has left of it.
  goTo(taken.filter(key.batchId <= _.batchId).fold(0)(t => firstAfter(t.upTo)))

  /** Whether all rows are gone. */
  def isAtEnd: Boolean = i >= size

  def next(): Unit = goTo(i + 1)

  def batchId: Long = if (batches == null) key.batchId else batches.getLong(i)

  def number: Long = if (numbers == null) key.number + i else numbers.getLong(i)

  override def compareTo(other: PageCursor): Int =
    Arrival.compare(micros, batchId, number, other.micros, other.batchId, other.number)

  /** Whether the row comes before the first one of a page. */
  def isBefore(other: Arrival): Boolean =
    Arrival.compare(micros, batchId, number, other.micros, other.batchId, other.number) < 0

  private def goTo(to: Int): Unit = {
    i = to
    if (!isAtEnd) {
      point(i)
      micros = timeOf(row)
    }
  }

  /** The number of the first row with a higher time. */
  private def firstAfter(time: Long): Int = {
    var (low, high) = (0, size)
    while (low < high) {
      val middle = (low + high) >>> 1
      point(middle)
      if (timeOf(row) <= time) low = middle + 1 else high = middle
    }
    low
  }

  private def point(at: Int): Unit = {
    val place = rows.getLong(at)
    row.pointTo(rows.getBaseObject, rows.getBaseOffset + (place >>> 32), place.toInt)
  }

  private def longs(column: Int): UnsafeArrayData =
    if (value.isNullAt(column)) null else value.getArray(column)
}
