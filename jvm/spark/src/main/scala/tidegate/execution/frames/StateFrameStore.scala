package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}
import org.apache.spark.{InterruptibleIterator, TaskContext}

/** Frames in Spark's state store, with counts of the rows that are written and removed. */
private[frames] final class StateFrameStore(
    store: StateStore,
    isPrefixed: Boolean,
    updated: SQLMetric,
    removed: SQLMetric
) extends FrameStore {

  override def get(key: UnsafeRow): UnsafeRow = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)

  override def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
  }

  override def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
  }

  override def heads: Iterator[UnsafeRowPair] = new InterruptibleIterator(
    TaskContext.get(),
    if (isPrefixed) store.prefixScan(FrameStore.headPrefix, StateStore.DEFAULT_COL_FAMILY_NAME)
    else
      store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME).filter(_.key.isNullAt(FrameStore.Chunk))
  )
}
