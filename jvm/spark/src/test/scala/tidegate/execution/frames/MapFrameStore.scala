package tidegate.execution.frames

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair

/** Frames in memory. Rows are copied in and out, as a state store does. */
final class MapFrameStore extends FrameStore {
  private val rows = mutable.LinkedHashMap.empty[UnsafeRow, UnsafeRow]

  var gets = 0
  var puts = 0

  /** How often all heads were asked for. */
  var walks = 0

  override def get(key: UnsafeRow): UnsafeRow = {
    gets += 1
    rows.get(key).map(_.copy()).orNull
  }

  override def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    puts += 1
    rows(key.copy()) = value.copy()
  }

  override def remove(key: UnsafeRow): Unit = {
    val _ = rows.remove(key)
  }

  override def heads: Iterator[UnsafeRowPair] = {
    walks += 1
    rows.toVector.iterator
      .filter(_._1.isNullAt(FrameStore.Chunk))
      .map { case (key, value) => new UnsafeRowPair(key.copy(), value.copy()) }
  }

  def size: Int = rows.size

  /** Every row by its key. */
  def all: Map[UnsafeRow, UnsafeRow] = rows.toMap
}
