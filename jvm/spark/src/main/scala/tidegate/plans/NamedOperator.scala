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

/**
 * Identifies a stateful operator of a query.
 *
 * @param kind
 *   what it is, such as `aggregate`
 * @param name
 *   its own name, unique in the plan: the name that the user gave, or the default
 * @param default
 *   its name if the user gives none: the kind, and its number in the plan, such as `aggregate-2`
 */
final case class OperatorName(kind: String, name: String, default: String) {

  /** Whether the user gave the name. */
  def isGiven: Boolean = name != default
}
