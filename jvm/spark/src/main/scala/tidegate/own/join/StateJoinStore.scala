package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType
import tidegate.own.due.StateDuePages

/**
 * Heads and chunks in Spark's state store, with counts of the rows that are written and removed.
 */
private[join] final class StateJoinStore(
    store: StateStore,
    keySchema: StructType,
    valueSchema: StructType,
    updated: SQLMetric,
    removed: SQLMetric
) extends JoinStore {
  private val rows = StateDuePages.count(store, keySchema, valueSchema, JoinStateSchema.Count)

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)

  override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
    if (isNew) rows.added()
  }

  override def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
    rows.removed()
  }

  /** Writes the number of rows, after the last of them. */
  def count(): Long = rows.write()
}
