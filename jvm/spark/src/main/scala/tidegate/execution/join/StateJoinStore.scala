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
 * look up each row that is written to find out. A state without this row is counted once.
 */
private[join] final class StateJoinStore(
    store: StateStore,
    keySchema: StructType,
    valueSchema: StructType,
    updated: SQLMetric,
    removed: SQLMetric
) extends JoinStore {
  private val countKey = StateDuePages.ownersKey(keySchema)
  private val before = Option(get(countKey)).map(_.getLong(JoinStateSchema.Count))
  private var rows = before.getOrElse(counted)

  private def counted: Long = {
    val all = store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
    val count =
      all.foldLeft(0L)((n, pair) => if (StateDuePages.isPage(pair.key)) n else n + 1)
    all.close()
    count
  }

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
    if (!before.contains(rows)) {
      if (rows > 0) store.put(countKey, countRow, StateStore.DEFAULT_COL_FAMILY_NAME)
      else if (before.isDefined) store.remove(countKey, StateStore.DEFAULT_COL_FAMILY_NAME)
    }
    rows
  }

  private def countRow: UnsafeRow = {
    val columns = valueSchema.indices.map(i => if (i == JoinStateSchema.Count) rows else null)
    UnsafeProjection.create(valueSchema).apply(InternalRow.fromSeq(columns))
  }
}
