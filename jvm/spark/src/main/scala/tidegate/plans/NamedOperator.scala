package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Gives a name to the first stateful operator below. The node is gone when a query runs: by then
 * its operator has the name.
 */
private[tidegate] final case class NamedOperator(name: String, child: LogicalPlan)
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): NamedOperator =
    copy(child = newChild)
}

private[tidegate] object NamedOperator {

  /** The hint that stands for the node. */
  val Hint = "tidegate_name"
}
