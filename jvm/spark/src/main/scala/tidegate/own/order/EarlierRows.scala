package tidegate.own.order

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.{InterruptibleIterator, TaskContext}

/**
 * The rows of a state that version 0.1.0 has written ([[tidegate.own.order.OrderFormat.Rows]]):
 * each is a row of the state, by the key of its arrival. The store must have no other rows.
 *
 * @param isSorted
 *   whether the store gives its rows in the order of their keys, as RocksDB does. With another
 *   store the arrivals of all rows are in memory
 * @param fields
 *   the number of columns of a row
 */
private[order] final class EarlierRows(store: StateStore, isSorted: Boolean, fields: Int) {
  private val keys = new ArrivalKey(0L)
  private val view = new UnsafeRow(fields)

  /**
   * Removes all rows from the store, and gives them by their arrivals. A row is valid until the
   * next one.
   */
  def takeAll(use: (Arrival, UnsafeRow) => Unit): Unit = {
    val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
    try {
      val pairs = new InterruptibleIterator(TaskContext.get(), all)
      if (isSorted) pairs.foreach { pair =>
        take(ArrivalKey.arrival(pair.key), pair.key, pair.value, use)
      }
      else {
        val arrivals = pairs.map(pair => ArrivalKey.arrival(pair.key)).toArray
        Arrays.sort(arrivals, Comparator.naturalOrder[Arrival])
        new InterruptibleIterator(TaskContext.get(), arrivals.iterator).foreach { arrival =>
          val key = keys.of(arrival)
          take(arrival, key, store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME), use)
        }
      }
    } finally all.close()
  }

  /** The store takes its values for pages, which have another number of columns. */
  private def take(
      arrival: Arrival,
      key: UnsafeRow,
      value: UnsafeRow,
      use: (Arrival, UnsafeRow) => Unit
  ): Unit = {
    view.pointTo(value.getBaseObject, value.getBaseOffset, value.getSizeInBytes)
    use(arrival, view)
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
  }
}
