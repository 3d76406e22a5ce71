package tidegate.execution.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType
import tidegate.execution.due.StateDuePages

/**
 * Heads and chunks in Spark's state store, with counts of the rows that are written and removed.
 *
 * Their number is in a row of its own: a join knows which rows are new, and Spark's store would
 * look up each row that is written to find out.
 */
private[join] final class StateJoinStore(
    store: StateStore,
    keySchema: StructType,
    valueSchema: StructType,
    updated: SQLMetric,
    removed: SQLMetric
) extends JoinStore {
  private val countKey = StateDuePages.ownersKey(keySchema)
  private val before = {
    val count = get(countKey)
    if (count == null) 0L else count.getLong(JoinStateSchema.Rows)
  }
  private var rows = before

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
    if (isNew) rows += 1
  }

  override def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
    rows -= 1
  }

  /** Writes the number of rows, after the last of them. */
  def count(): Long = {
    if (rows != before) {
      if (rows == 0) store.remove(countKey, StateStore.DEFAULT_COL_FAMILY_NAME)
      else
        store.put(countKey, countRow, StateStore.DEFAULT_COL_FAMILY_NAME)
    }
    rows
  }

  private def countRow: UnsafeRow = {
    val columns = valueSchema.indices.map(i => if (i == JoinStateSchema.Rows) rows else null)
    UnsafeProjection.create(valueSchema).apply(InternalRow.fromSeq(columns))
  }
}
