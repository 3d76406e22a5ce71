package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project, UnaryNode}
import tidegate.operators.{JoinBounds, StatefulOperators, StreamJoin}
import tidegate.plans.{DropLate, OperatorName}

/**
 * Puts our own join in the place of Spark's, in the optimized plan of a batch: Spark's optimizer
 * knows only its own join, and Spark's planner would take it.
 */
private[tidegate] object PlanIntervalJoins {

  /**
   * @param joins
   *   the names of the operators for which this was decided at the start of the query
   */
  def apply(plan: LogicalPlan, joins: Set[String]): LogicalPlan =
    if (joins.isEmpty) plan
    else
      plan.transformUp { case StreamJoin(j) =>
        StatefulOperators
          .nameInQuery(j)
          .filter(owner => joins.contains(owner.name))
          .flatMap(planned(j, _))
          .getOrElse(j)
      }

  private def planned(join: Join, owner: OperatorName): Option[LogicalPlan] = join match {
    case ExtractEquiJoinKeys(joinType, leftKeys, rightKeys, condition, _, left, right, _) =>
      val (least, most) = reach(join, owner)
      val own = IntervalJoin(
        leftKeys,
        rightKeys,
        joinType,
        condition,
        least,
        most,
        owner,
        withTime(left, owner),
        withTime(right, owner)
      )
      val isWider = own.output.size > join.output.size
      Some(if (isWider) Project(join.output, own) else own)
    // Without an equality Spark refuses the join.
    case _ => None
  }

  /**
   * A side with the time by which its rows leave the state. Where no condition of the join has it,
   * as with windows that are joined by their starts, the optimizer takes it for unused.
   */
  private def withTime(side: LogicalPlan, owner: OperatorName): LogicalPlan = {
    def missing(node: LogicalPlan) = new IllegalStateException(
      s"A side of the join ${owner.name} has no time, because ${node.nodeName} drops it."
    )
    def extended(plan: LogicalPlan, time: Attribute): LogicalPlan = plan match {
      case p if p.outputSet.contains(time) => p
      case p: Project                      =>
        Project(p.projectList :+ time, extended(p.child, time))
      // Such as Filter, RetagEventTime, and the calls of Python functions.
      case u: UnaryNode =>
        Some(u.withNewChildren(Seq(extended(u.child, time))))
          .filter(_.outputSet.contains(time))
          .getOrElse(throw missing(u))
      case other => throw missing(other)
    }
    side
      .collectFirst { case d: DropLate if d.owner == owner => d.time }
      .fold(side)(extended(side, _))
  }

  /** How much later than the left row the right row of a pair may be. */
  private def reach(join: Join, owner: OperatorName): (Long, Long) = {
    def timeOf(side: LogicalPlan) =
      side.collectFirst { case d: DropLate if d.owner == owner => d.time.exprId }
    val (left, right) = (timeOf(join.left), timeOf(join.right))
    // A bound says: limited >= setBy - by.
    def by(setBy: Option[Any], limited: Option[Any]) = JoinBounds
      .of(join)
      .filter(b => setBy.contains(b.setBy.exprId) && limited.contains(b.limited.exprId))
      .map(_.byMicros)
      .minOption
    (by(left, right).fold(Long.MinValue)(-_), by(right, left).getOrElse(Long.MaxValue))
  }
}
