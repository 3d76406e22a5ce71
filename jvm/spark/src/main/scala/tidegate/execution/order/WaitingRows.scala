package tidegate.execution.order

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The rows of one partition that wait in its state store, during one batch. */
private[order] trait WaitingRows {

  /** Keeps a row. */
  def put(micros: Long, row: UnsafeRow): Unit

  /**
   * Removes the rows up to a time, in order: each leaves the state when it is read, and is valid
   * until the next one is read. At most once in a batch, after the last row is put.
   */
  def takeUpTo(micros: Long): Iterator[UnsafeRow]

  /**
   * Ends the batch: after this, the store has what the next batch begins with.
   *
   * @return
   *   the number of rows that wait, if it is not the number of rows in the store
   */
  def finish(): Option[Long]

  /** The time of the first row that waits when the batch has ended, as far as it is known. */
  final val first = new FirstTime
}
