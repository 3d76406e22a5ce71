package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.tidegate.{
  SessionWindowStateStoreRestoreExec,
  SessionWindowStateStoreSaveExec
}
import tidegate.core.figures.StateSize
import tidegate.statistics.{LateRows, SizedState}

/**
 * Passes the rows of a stateful operator through.
 *
 *   - In `EXPLAIN` this node shows which watermarks the operator runs on: for its own operators
 *     Spark shows only its own strings.
 *   - In the progress of the query the operator shows the rows that were late for it, although
 *     `DropLate` has dropped them before they reached it.
 *
 * @param names
 *   what the operator is called, for each of its inputs
 * @param times
 *   says what the operator runs on now, for each of its inputs
 * @param late
 *   the rows that were late for the operator, for each of its inputs
 */
final case class KeyedOperatorExec(
    child: SparkPlan,
    names: Seq[String],
    @transient times: () => Seq[String],
    late: Seq[LateRows]
) extends UnaryExecNode
    with SizedState
    with DescribesItself {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    // Here, not in planning: later rules copy the operator, and each copy has metrics of its own.
    late.foreach(_.addTo(numRowsDropped))
    child.execute()
  }

  override def stateSize: Option[StateSize] =
    for (rows <- child.metrics.get("numTotalStateRows"); bytes <- child.metrics.get("stateMemory"))
      yield StateSize(rows.value, bytes.value)

  /** What Spark shows as the `numRowsDroppedByWatermark` of the operator. */
  private def numRowsDropped: SQLMetric = {
    val counting = child match {
      case s: SessionWindowStateStoreSaveExec =>
        s.child.collectFirst { case r: SessionWindowStateStoreRestoreExec => r }.getOrElse(s)
      case other => other
    }
    counting.longMetric("numRowsDroppedByWatermark")
  }

  override def describe: String = times().mkString("; ")

  override protected def withNewChildInternal(newChild: SparkPlan): KeyedOperatorExec =
    copy(child = newChild)
}
