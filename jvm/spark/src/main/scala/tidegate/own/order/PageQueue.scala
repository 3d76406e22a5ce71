package tidegate.own.order

import java.util.PriorityQueue

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.{InterruptibleIterator, TaskContext}

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
    store: StateStore,
    isSorted: Boolean,
    upTo: Long,
    later: FirstTime
) {
  private val keys = new ArrivalKey(0L)

  /** What a sorted store has. Kept no longer than needed of others, as it may hold their rows. */
  private val all =
    Option.when(isSorted)(store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME))
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
    } else store.get(keys.of(known.poll()), StateStore.DEFAULT_COL_FAMILY_NAME).copy()

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
    val rows = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
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
