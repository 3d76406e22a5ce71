package tidegate.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType

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
private[execution] final class RowCount(
    store: StateStore,
    key: UnsafeRow,
    value: StructType,
    column: Int,
    isCounted: UnsafeRow => Boolean
) {
  private val before =
    Option(store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)).map(_.getLong(column))
  private var rows = before.getOrElse(counted)

  private def counted: Long = {
    val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
    val count = all.foldLeft(0L)((n, pair) => if (isCounted(pair.key)) n + 1 else n)
    all.close()
    count
  }

  /** A row was written that was not there. */
  def added(): Unit = rows += 1

  /** A row was removed that was there. */
  def removed(): Unit = rows -= 1

  /** Writes the number, after the last row. */
  def write(): Long = {
    if (!before.contains(rows)) {
      if (rows > 0) store.put(key, row, StateStore.DEFAULT_COL_FAMILY_NAME)
      else if (before.isDefined) store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    }
    rows
  }

  private def row: UnsafeRow = {
    val columns = value.zipWithIndex.map { case (field, i) =>
      if (i == column) rows
      else if (field.nullable) null
      else Literal.default(field.dataType).value
    }
    UnsafeProjection.create(value).apply(InternalRow.fromSeq(columns))
  }
}
