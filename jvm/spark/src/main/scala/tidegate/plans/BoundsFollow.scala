package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, UnaryNode}

/**
 * A join whose bounds are added next: it may lack them in this plan, unless the plan is of a query
 * that starts. Spark Connect analyzes the table of a `BOUND_JOIN` separately, before the bounds are
 * added.
 */
private[tidegate] final case class BoundsFollow(child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): BoundsFollow =
    copy(child = newChild)
}

private[tidegate] object BoundsFollow {

  /** The hint that stands for the node. */
  val Hint = "tidegate_bounds_follow"

  /** The joins of a plan whose bounds are added next, but not the joins inside their sides. */
  def joins(plan: LogicalPlan): Seq[Join] =
    plan.collect { case b: BoundsFollow => joinOf(b.child) }.flatten

  private def joinOf(plan: LogicalPlan): Option[Join] = plan match {
    case j: Join          => Some(j)
    case p: Project       => joinOf(p.child)
    case n: NamedOperator => joinOf(n.child)
    case _                => None
  }
}
