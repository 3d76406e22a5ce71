package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The heads and chunks of one partition. */
private[join] trait JoinStore {

  /** The row of a key; null if there is none. */
  def get(key: UnsafeRow): UnsafeRow

  /**
   * @param isNew
   *   whether there is no row of this key yet
   */
  def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit

  /** Removes a row, which must be there. */
  def remove(key: UnsafeRow): Unit
}

private[join] object JoinStore {

  /** The key of a chunk. */
  def chunkKey(headKey: UnsafeRow, number: Int): UnsafeRow = {
    val key = headKey.copy()
    key.setInt(JoinStateSchema.Chunk, number)
    key
  }
}
