package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Passes the rows of a stateful operator through, and tells in `EXPLAIN` which watermarks it runs
 * on: of Spark's operators only the strings that Spark gives them are shown.
 *
 * @param times
 *   what it runs on, for each of its inputs
 */
final case class KeyedOperatorExec(child: SparkPlan, times: Seq[String]) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override def simpleString(maxFields: Int): String =
    times.mkString("KeyedOperator ", "; ", "")

  override protected def withNewChildInternal(newChild: SparkPlan): KeyedOperatorExec =
    copy(child = newChild)
}
