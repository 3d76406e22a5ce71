package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{Inner, InnerLike}
import tidegate.operators.{Conjunction, JoinBounds, StreamJoin}
import tidegate.plans.NamedOperator

/**
 * Gathers what a query says about the times of a join into the join's condition.
 *
 *   - The bounds in filters above an inner join, and in inner joins above it, where Spark's
 *     optimizer would find them too.
 *   - That the times in bounds are not null: a row without a time never finds a partner, and has
 *     nothing to wait for in the state.
 */
object CompleteJoinConditions extends PredicateHelper {

  def apply(plan: LogicalPlan): LogicalPlan = complete(plan, Nil)

  /** @param above the predicates that the plan above requires of every row */
  private def complete(plan: LogicalPlan, above: Seq[Expression]): LogicalPlan = plan match {
    case f: Filter =>
      f.copy(child = complete(f.child, above ++ splitConjunctivePredicates(f.condition)))
    case p: Project =>
      val aliases = getAliasMap(p)
      p.copy(child = complete(p.child, above.map(replaceAlias(_, aliases))))
    case s: SubqueryAlias                              => s.copy(child = complete(s.child, above))
    case n: NamedOperator                              => n.copy(child = complete(n.child, above))
    case j: Join if j.joinType.isInstanceOf[InnerLike] =>
      val must = above ++ j.condition.toSeq.flatMap(splitConjunctivePredicates)
      // Spark's operator knows no cross join, but its optimizer moves the predicates into this one.
      val completed =
        if (StreamJoin.is(j)) withNotNull(withBounds(j.copy(joinType = Inner), must)) else j
      completed.mapChildren(complete(_, must))
    case StreamJoin(j) =>
      withNotNull(j).mapChildren(complete(_, Nil))
    case other => other.mapChildren(complete(_, Nil))
  }

  private def withBounds(join: Join, predicates: Seq[Expression]): Join = {
    val own = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    JoinBounds.and(
      join,
      predicates
        .filterNot(p => own.exists(_.semanticEquals(p)))
        .flatMap(Conjunction.split)
        .filter { p =>
          p.deterministic && p.references.subsetOf(join.left.outputSet ++ join.right.outputSet) &&
          JoinBounds.in(Seq(p), join).nonEmpty
        }
    )
  }

  /** The join with rows left out that have no time. */
  private[preparation] def withNotNull(join: Join): Join =
    JoinBounds.and(
      join,
      JoinBounds
        .of(join)
        .flatMap(b => Seq(b.setBy, b.limited))
        .distinctBy(_.exprId)
        .map(IsNotNull(_))
    )
}
