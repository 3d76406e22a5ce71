package tidegate.own

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, UnaryNode}

/**
 * Shows in `EXPLAIN` why the aggregation above it, over windows, keeps Spark's own plan; rows pass
 * unchanged.
 */
final case class NoFrames(reason: String, child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): NoFrames =
    copy(child = newChild)
}

object NoFrames {

  def isUnder(a: Aggregate): Boolean = a.child.isInstanceOf[NoFrames]

  /** Puts the reason under an aggregation, once. */
  def under(a: Aggregate, reason: String): Aggregate = a.child match {
    case _: NoFrames => a
    case child       => a.copy(child = NoFrames(reason, child))
  }
}
