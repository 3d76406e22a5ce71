package tidegate.own

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{
  StateStore,
  StateStoreIterator,
  UnsafeRowPair
}
import org.apache.spark.sql.types.{CalendarIntervalType, StructType}
import org.apache.spark.{InterruptibleIterator, TaskContext}

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
   * All rows. Rows may be written and removed meanwhile; the pair object is reused for the next
   * row.
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

/**
 * The number of rows of a state, in a row of its own: an operator knows which rows are new, and
 * Spark's store in RocksDB would look up each row that is written or removed to find out. A state
 * without this row is counted once.
 *
 * @param key
 *   of the row with the number
 * @param value
 *   the columns of all rows of the state
 * @param column
 *   the column of `value` that has the number, of 64 bits
 * @param isCounted
 *   whether the row of a key counts
 */
private[own] final class RowCount(
    store: StateRows,
    key: UnsafeRow,
    value: StructType,
    column: Int,
    isCounted: UnsafeRow => Boolean
) {
  private val before =
    Option(store.get(key)).map(_.getLong(column))
  private var rows = before.getOrElse(counted)
  private var hasRemoved = false

  private def counted: Long =
    store.rows.foldLeft(0L)((n, pair) => if (isCounted(pair.key)) n + 1 else n)

  /** A row was written that was not there. */
  def added(): Unit = rows += 1

  /** A row was removed that was there. */
  def removed(): Unit = {
    rows -= 1
    hasRemoved = true
  }

  /**
   * Writes the number, after the last row. Also when it is 0, if there have been rows: RocksDB
   * walks over rows that were removed, and without the number each batch would count again.
   */
  def write(): Long = {
    if (!before.contains(rows) && (rows > 0 || hasRemoved))
      store.put(key, row, isNew = before.isEmpty)
    rows
  }

  private def row: UnsafeRow = {
    val columns = value.zipWithIndex.map { case (field, i) =>
      if (i == column) rows
      else if (field.nullable) null
      else Literal.default(field.dataType).value
    }
    new ToStateRow(value).apply(InternalRow.fromSeq(columns))
  }
}

/**
 * Makes rows of a state, in which columns may be NULL that are never NULL in a row of an operator.
 *
 * Spark's projection gives a NULL of type INTERVAL a place for its bytes. Spark's state store takes
 * such a row, and fails when it is the first one that a task reads.
 */
private[own] final class ToStateRow(schema: StructType) {
  private val project = UnsafeProjection.create(schema)
  private val intervals = schema.indices.filter(schema(_).dataType == CalendarIntervalType)

  /** The same object for each row. */
  def apply(values: InternalRow): UnsafeRow = {
    val row = project(values)
    intervals.foreach(i => if (row.isNullAt(i)) row.setNullAt(i))
    row
  }
}
