package tidegate.own

import scala.concurrent.duration.NANOSECONDS

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.tidegate.{OperatorFigures, StoresAtExit}
import org.apache.spark.{InterruptibleIterator, TaskContext}

/** What a task has of a stateful operator of our own: the store of its partition, and figures. */
private[tidegate] final class StoreTask(store: StateStore, figures: OperatorFigures) {

  StoresAtExit.install()

  def partition: Int = store.id.partitionId

  /** Rows that are in no figure, such as the pages of due keys. */
  val uncounted: StoredRows = new StoredRows(store)

  /**
   * The rows of the operator.
   *
   * @param count
   *   the number of the rows, if it is in a row of its own
   * @param findsByPrefix
   *   whether the store finds rows by the first column of their keys
   */
  def rows(count: Option[RowCount] = None, findsByPrefix: Boolean = false): StateRows = {
    val counts = StoredRows.Figures(metric("numUpdatedStateRows"), metric("numRemovedStateRows"))
    new StoredRows(store, Some(counts), count, findsByPrefix)
  }

  /** A figure of the operator by its name. */
  def metric(name: String): SQLMetric = figures.figure(name)

  /**
   * Commits the store when the last row is taken. Spark aborts the store of a task that ends
   * before. A task that is to be killed ends at the next row: the rows of one key may be without
   * number.
   *
   * @param hidden
   *   after the last row, the number of rows of the state that are not counted in the progress of
   *   the query, such as the pages of due keys
   * @param counted
   *   after the last row, what the progress of the query shows instead of the number of rows of the
   *   state, if it is something else
   * @param tell
   *   what is done after the last row
   */
  def commitAtEnd(
      rows: Iterator[InternalRow],
      hidden: () => Long = () => 0L,
      counted: () => Option[Long] = () => None,
      tell: () => Unit = () => ()
  ): Iterator[InternalRow] = {
    val start = System.nanoTime
    val interruptible = new InterruptibleIterator(TaskContext.get(), rows)
    val numOutputRows = metric("numOutputRows")
    new Iterator[InternalRow] {
      private var isCommitted = false

      override def hasNext: Boolean = {
        val more = !isCommitted && interruptible.hasNext
        if (!more && !isCommitted) {
          isCommitted = true
          commit(start, hidden(), counted(), tell)
        }
        more
      }

      override def next(): InternalRow = {
        numOutputRows += 1
        rows.next()
      }
    }
  }

  private def commit(start: Long, hidden: Long, counted: Option[Long], tell: () => Unit): Unit = {
    tell()
    // As in Spark's operators, this includes the time of the consumers of the rows.
    metric("allUpdatesTimeMs") += millisSince(start)
    val beforeCommit = System.nanoTime
    store.commit()
    metric("commitTimeMs") += millisSince(beforeCommit)
    // After `coalesce` a task has several partitions, which share its figures.
    val total = metric("numTotalStateRows")
    val ofOthers = total.value
    figures.add(store)
    if (hidden > 0) total.set(math.max(ofOthers, total.value - hidden))
    counted.foreach(rows => total.set(ofOthers + rows))
  }

  private def millisSince(nanoTime: Long): Long = NANOSECONDS.toMillis(System.nanoTime - nanoTime)
}
