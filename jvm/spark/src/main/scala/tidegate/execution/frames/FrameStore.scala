package tidegate.execution.frames

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import org.apache.spark.sql.types.IntegerType

/** The heads and chunks of one partition. */
private[frames] trait FrameStore {

  /** The row of a key; null if there is none. */
  def get(key: UnsafeRow): UnsafeRow

  def put(key: UnsafeRow, value: UnsafeRow): Unit

  def remove(key: UnsafeRow): Unit

  /**
   * All heads. Rows may be written and removed meanwhile; the pair object is reused for the next
   * head.
   */
  def heads: Iterator[UnsafeRowPair]
}

private[frames] object FrameStore {

  /** The position of the chunk number in a key of the state. */
  val Chunk = 0

  lazy val headPrefix: UnsafeRow =
    UnsafeProjection.create(Seq(Literal(null, IntegerType))).apply(null)

  /** The key of a chunk. */
  def chunkKey(headKey: UnsafeRow, chunk: Int): UnsafeRow = {
    val key = headKey.copy()
    key.setInt(Chunk, chunk)
    key
  }
}
