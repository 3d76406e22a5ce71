package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import tidegate.core.window.FrameCursor

/** In which rows of the state frames are in a batch, and how rows are found that are due. */
private[own] trait FramePlaces {

  /** Brings the rows of an earlier run to where the windows of this run have them. */
  def restore(): Unit

  /**
   * Removes rows whose frames the batch takes like those that have just come, because a window over
   * some of them is due: keys, and their frames until the next key.
   */
  def opened(): Iterator[(UnsafeRow, FrameCursor)]

  /** Turns a key of the state into that of the row in which a frame is. */
  def locate(key: UnsafeRow, frame: Long): Unit

  /**
   * Begins a key to which the batch adds frames.
   *
   * @param isFirst
   *   whether the batch has not added to the key before
   */
  def begin(key: UnsafeRow, added: FrameList, isFirst: Boolean): Unit

  /** Begins a key that [[due]] has shown. */
  def begin(key: UnsafeRow, row: UnsafeRow): Unit

  /** Ends the key when all of its windows that end at or before `closed` are out. */
  def end(closed: Long): Unit

  /**
   * All rows with windows that close in this batch, and maybe others. Rows may be written and
   * removed meanwhile; the pair object is reused for the next row.
   */
  def due: Iterator[UnsafeRowPair]

  /**
   * In µs, when all that is due is out, the end of the first window in the rows that [[due]] did
   * not show; it may be too early.
   */
  def nextEnd: Long

  /** Writes what the batch has changed beside the rows of keys. */
  def flush(): Unit
}
