package tidegate.own.order

import java.util.PriorityQueue

import org.apache.spark.sql.catalyst.expressions.{UnsafeArrayData, UnsafeRow}
import org.apache.spark.{InterruptibleIterator, TaskContext}
import tidegate.own.StoredRows
import tidegate.own.rows.RowArray

/**
 * The pages whose first row is due, by their first rows.
 *
 * @param isSorted
 *   whether the store gives its rows in the order of their keys, as RocksDB does. With another
 *   store the keys of all due pages are in memory
 * @param upTo
 *   the time up to which rows are due, in µs
 * @param later
 *   sees the pages that are not due
 */
private[order] final class PageQueue(
    store: StoredRows,
    isSorted: Boolean,
    upTo: Long,
    later: FirstTime
) {
  private val keys = new ArrivalKey(0L)

  /** What a sorted store has. Kept no longer than needed of others, as it may hold their rows. */
  private val all =
    Option.when(isSorted)(store.open())
  private val pages = all.iterator.flatten.filterNot(pair => ArrivalKey.isHead(pair.key))

  /** Pages that were not read yet, by the arrival of their first row. */
  private val known = new PriorityQueue[Arrival]

  /** The next page of a sorted store. */
  private var stored: Arrival = _
  private var storedValue: UnsafeRow = _

  if (isSorted) readNext() else findDue()

  /** The arrival of the first row of the next page; null if no page is due any more. */
  def first: Arrival = {
    val next = known.peek()
    if (stored == null || next != null && next.compareTo(stored) < 0) next else stored
  }

  /** Takes the next page. */
  def poll(): UnsafeRow =
    if (first eq stored) {
      val value = storedValue
      readNext()
      value
    } else store.get(keys.of(known.poll())).copy()

  /** Adds a page that was put into the store since. The iterator of the store does not have it. */
  def add(page: Arrival): Unit = if (isDue(page.micros)) {
    known.add(page)
    ()
  }

  private def isDue(micros: Long): Boolean = {
    if (micros > upTo) later.see(micros)
    micros <= upTo
  }

  /** An iterator must be closed before its store is committed. */
  def close(): Unit = all.foreach(_.close())

  private def findDue(): Unit = {
    val rows = store.open()
    new InterruptibleIterator(TaskContext.get(), rows).foreach { pair =>
      if (!ArrivalKey.isHead(pair.key) && isDue(ArrivalKey.micros(pair.key)))
        known.add(ArrivalKey.arrival(pair.key))
    }
    rows.close()
  }

  private def readNext(): Unit = {
    stored = null
    if (pages.hasNext) {
      val pair = pages.next()
      if (isDue(ArrivalKey.micros(pair.key))) {
        stored = ArrivalKey.arrival(pair.key)
        // A store may fill the same row again.
        storedValue = pair.value.copy()
      }
    }
  }
}

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
  private val rows = new RowArray
  rows.pointTo(value, OrderStateSchema.Rows)
  private val batches = longs(OrderStateSchema.Batches)
  private val numbers = longs(OrderStateSchema.Numbers)
  private var i = 0

  /** The row at which it is. */
  val row: UnsafeRow = new UnsafeRow(fields)

  /** The time of the row. */
  var micros: Long = 0L

  // A page has rows from after `taken`, or those of one batch, or nothing has left of it.
  goTo(taken.filter(key.batchId <= _.batchId).fold(0)(t => firstAfter(t.upTo)))

  /** Whether all rows are gone. */
  def isAtEnd: Boolean = i >= rows.size

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
      rows.show(i, row)
      micros = timeOf(row)
    }
  }

  /** The number of the first row with a higher time. */
  private def firstAfter(time: Long): Int = {
    var (low, high) = (0, rows.size)
    while (low < high) {
      val middle = (low + high) >>> 1
      rows.show(middle, row)
      if (timeOf(row) <= time) low = middle + 1 else high = middle
    }
    low
  }

  private def longs(column: Int): UnsafeArrayData =
    if (value.isNullAt(column)) null else value.getArray(column)
}
