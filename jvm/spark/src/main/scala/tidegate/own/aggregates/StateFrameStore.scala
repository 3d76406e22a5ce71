package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}
import org.apache.spark.{InterruptibleIterator, TaskContext}
import tidegate.own.RowCount

/**
 * Frames in Spark's state store, with counts of the rows that are written and removed.
 *
 * @param isPrefixed
 *   whether the store finds rows by the first column of their keys
 * @param count
 *   the number of the rows, if it is in a row of its own; nobody else sees this row
 */
private[own] final class StateFrameStore(
    store: StateStore,
    isPrefixed: Boolean,
    updated: SQLMetric,
    removed: SQLMetric,
    count: Option[RowCount] = None
) extends FrameStore {

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
    if (isNew) count.foreach(_.added())
  }

  override def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
    count.foreach(_.removed())
  }

  override def heads: Iterator[UnsafeRowPair] =
    if (isPrefixed) found(FrameStore.headPrefix)
    else rows.filter(row => FrameStore.isHead(row.key))

  override def rows: Iterator[UnsafeRowPair] = {
    val all = interruptible(store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME))
    if (count.isEmpty) all else all.filterNot(row => FrameStore.isCount(row.key))
  }

  override def findsByNumber: Boolean = isPrefixed

  override def rows(number: Int): Iterator[UnsafeRowPair] = found(FrameStore.prefix(number))

  // Closed at once: otherwise RocksDB keeps the iterator until the task ends.
  override def hasRows(number: Int): Boolean = {
    val rows = store.prefixScan(FrameStore.prefix(number), StateStore.DEFAULT_COL_FAMILY_NAME)
    try rows.hasNext
    finally rows.close()
  }

  private def found(prefix: UnsafeRow): Iterator[UnsafeRowPair] =
    interruptible(store.prefixScan(prefix, StateStore.DEFAULT_COL_FAMILY_NAME))

  private def interruptible(rows: Iterator[UnsafeRowPair]): Iterator[UnsafeRowPair] =
    new InterruptibleIterator(TaskContext.get(), rows)
}
