package tidegate.execution.order

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.{InterruptibleIterator, TaskContext}

/**
 * Keeps each row as a row of the state, as version 0.1.0 does: for queries that have begun so.
 *
 * @param isSorted
 *   whether the store gives its rows in the order of their keys, as RocksDB does. With another
 *   store all keys are read, and those that are due are sorted in memory
 */
private[order] final class RowBuffer(
    store: StateStore,
    isSorted: Boolean,
    batchId: Long,
    updated: SQLMetric,
    removed: SQLMetric
) extends WaitingRows {
  private val keys = new ArrivalKey(batchId)

  override def put(micros: Long, row: UnsafeRow): Unit = {
    store.put(keys.next(micros), row, StateStore.DEFAULT_COL_FAMILY_NAME)
    first.see(micros)
    updated += 1
  }

  override def takeUpTo(micros: Long): Iterator[UnsafeRow] = {
    first.seeAll()
    if (isSorted) sortedUpTo(micros) else searchedUpTo(micros)
  }

  private def isDue(key: UnsafeRow, upTo: Long): Boolean = {
    val micros = ArrivalKey.micros(key)
    if (micros > upTo) first.see(micros)
    micros <= upTo
  }

  override def finish(): Option[Long] = None

  private def sortedUpTo(micros: Long): Iterator[UnsafeRow] = {
    val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
    val due = all.takeWhile(pair => isDue(pair.key, micros)).map { pair =>
      remove(pair.key)
      pair.value
    }
    // The iterator must be closed before the store is committed.
    due ++ { all.close(); Iterator.empty }
  }

  private def searchedUpTo(micros: Long): Iterator[UnsafeRow] = {
    val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
    val due = new InterruptibleIterator(TaskContext.get(), all)
      .map(_.key)
      .filter(isDue(_, micros))
      .map(ArrivalKey.arrival)
      .toArray
    Arrays.sort(due, Comparator.naturalOrder[Arrival])
    due.iterator.map { arrival =>
      val key = keys.of(arrival)
      val row = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)
      remove(key)
      row
    }
  }

  private def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
  }
}
