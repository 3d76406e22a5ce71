package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The plan of a streaming query that was made ready to start; its decisions apply to all batches.
 */
final case class PreparedQuery(decisions: QueryDecisions, child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: LogicalPlan): PreparedQuery =
    copy(child = newChild)
}
