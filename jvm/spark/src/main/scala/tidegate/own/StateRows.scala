package tidegate.own

import org.apache.spark.{InterruptibleIterator, TaskContext}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateStore, StateStoreIterator, UnsafeRowPair}

/** The rows of one partition of a state, as an operator sees them. */
private[tidegate] trait StateRows {

  /** The row of a key; null if there is none. */
  def get(key: UnsafeRow): UnsafeRow

  /**
   * Writes a row.
   *
   * @param isNew
   *   whether there is no row of this key yet
   */
  def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit

  /** Removes a row that is there. */
  def remove(key: UnsafeRow): Unit

  /**
   * All rows. Rows may be written and removed meanwhile; the pair object is reused for the next row.
   */
  def rows: Iterator[UnsafeRowPair]

  /** Whether rows are found by the first column of their keys. */
  def findsByPrefix: Boolean

  /** The rows with a first column, in the same way as `rows`. */
  def withPrefix(prefix: UnsafeRow): Iterator[UnsafeRowPair]

  /** Whether there are such rows. */
  def hasPrefix(prefix: UnsafeRow): Boolean
}

/**
 * Rows in Spark's state store.
 *
 * @param figures
 *   count the rows that are written and removed
 * @param count
 *   the number of the rows, if it is in a row of its own
 */
private[tidegate] final class StoredRows(
    store: StateStore,
    figures: Option[StoredRows.Figures] = None,
    count: Option[RowCount] = None,
    override val findsByPrefix: Boolean = false
) extends StateRows {
  private val family = StateStore.DEFAULT_COL_FAMILY_NAME

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, family)

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    store.put(key, value, family)
    figures.foreach(_.updated += 1)
    if (isNew) count.foreach(_.added())
  }

  override def remove(key: UnsafeRow): Unit = {
    store.remove(key, family)
    figures.foreach(_.removed += 1)
    count.foreach(_.removed())
  }

  override def rows: Iterator[UnsafeRowPair] = interruptible(open())

  /** All rows, to be closed before the store is committed. */
  def open(): StateStoreIterator[UnsafeRowPair] = store.iterator(family)

  override def withPrefix(prefix: UnsafeRow): Iterator[UnsafeRowPair] =
    interruptible(store.prefixScan(prefix, family))

  // Closed at once: otherwise RocksDB keeps the iterator until the task ends.
  override def hasPrefix(prefix: UnsafeRow): Boolean = {
    val rows = store.prefixScan(prefix, family)
    try rows.hasNext
    finally rows.close()
  }

  private def interruptible(rows: Iterator[UnsafeRowPair]): Iterator[UnsafeRowPair] =
    new InterruptibleIterator(TaskContext.get(), rows)
}

private[tidegate] object StoredRows {
  final case class Figures(updated: SQLMetric, removed: SQLMetric)
}
