package tidegate.planning

import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import tidegate.operators.{JoinBounds, StatefulOperators, StreamJoin}
import tidegate.plans.{DropLate, IntervalJoin, OperatorName}

/**
 * Puts our own join in the place of Spark's, in the optimized plan of a batch: Spark's optimizer
 * knows only its own join, and Spark's planner would take it.
 */
private[planning] object PlanIntervalJoins {

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

  private def planned(join: Join, owner: OperatorName): Option[IntervalJoin] = join match {
    case ExtractEquiJoinKeys(joinType, leftKeys, rightKeys, condition, _, left, right, _) =>
      val (least, most) = reach(join, owner)
      Some(
        IntervalJoin(leftKeys, rightKeys, joinType, condition, least, most, owner, left, right)
      )
    // Without an equality Spark refuses the join.
    case _ => None
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
