package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.IntegerType

/** Heads and chunks of one partition in its state store, and the count of what is written. */
private[frames] final class FrameStore(
    store: StateStore,
    isPrefixed: Boolean,
    updated: SQLMetric,
    removed: SQLMetric
) {

  def get(key: UnsafeRow): UnsafeRow = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)

  def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    updated += 1
  }

  def remove(key: UnsafeRow): Unit = {
    store.remove(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    removed += 1
  }

  /** All heads. Rows may be written and removed meanwhile; the pair is used again for the next. */
  def heads: Iterator[UnsafeRowPair] =
    if (isPrefixed) store.prefixScan(FrameStore.headPrefix, StateStore.DEFAULT_COL_FAMILY_NAME)
    else
      store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME).filter(_.key.isNullAt(FrameStore.Chunk))
}

private[frames] object FrameStore {

  /** Where a key of the state has the number of its chunk. */
  val Chunk = 0

  private lazy val headPrefix: UnsafeRow =
    UnsafeProjection.create(Seq(Literal(null, IntegerType))).apply(null)

  /** The key of a chunk. */
  def chunkKey(headKey: UnsafeRow, chunk: Int): UnsafeRow = {
    val key = headKey.copy()
    key.setInt(Chunk, chunk)
    key
  }
}
