package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Says that the aggregation above goes on with the frames of its checkpoint, whatever a new query
 * would do: its windows do not overlap any more.
 */
final case class KeptFrames(child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): KeptFrames =
    copy(child = newChild)
}
