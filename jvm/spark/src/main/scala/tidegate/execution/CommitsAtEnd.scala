package tidegate.execution

import scala.concurrent.duration.NANOSECONDS

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreWriter
import org.apache.spark.sql.execution.streaming.state.{StateStore, StateStoreThreadLocalTracker}

/** A stateful operator of ours, whose tasks commit their store when their last row is taken. */
private[execution] trait CommitsAtEnd extends StateStoreWriter { self: SparkPlan =>

  /**
   * The rows of a child. Spark leaves the store that an aggregation of the same task has read from
   * to the next operator that asks for one to write: that is not ours.
   */
  protected def rowsOf(child: SparkPlan): RDD[InternalRow] = child.execute().mapPartitions { rows =>
    StateStoreThreadLocalTracker.clearStore()
    rows
  }

  /** Spark aborts the store of a task that ends before its last row. */
  protected def commitAtEnd(
      store: StateStore,
      rows: Iterator[InternalRow]
  ): Iterator[InternalRow] = {
    val numOutputRows = longMetric("numOutputRows")
    val updateMs = longMetric("allUpdatesTimeMs")
    val commitMs = longMetric("commitTimeMs")
    val start = System.nanoTime
    new Iterator[InternalRow] {
      private var isCommitted = false

      override def hasNext: Boolean = {
        val more = !isCommitted && rows.hasNext
        if (!more && !isCommitted) commit()
        more
      }

      override def next(): InternalRow = {
        numOutputRows += 1
        rows.next()
      }

      private def commit(): Unit = {
        isCommitted = true
        // As in Spark's operators: with the time of those that take the rows.
        updateMs += NANOSECONDS.toMillis(System.nanoTime - start)
        commitMs += timeTakenMs(store.commit())
        setStoreMetrics(store)
        setOperatorMetrics()
      }
    }
  }
}
