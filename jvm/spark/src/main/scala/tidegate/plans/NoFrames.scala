package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, UnaryNode}

/**
 * Tells in `EXPLAIN` why the aggregation above, over sliding windows, is Spark's own plan; its rows
 * pass through.
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
