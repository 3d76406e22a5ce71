package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{And, Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import tidegate.plans.StatefulOperators

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

  /** @param above what the plan above lets through only */
  private def complete(plan: LogicalPlan, above: Seq[Expression]): LogicalPlan = plan match {
    case f: Filter =>
      f.copy(child = complete(f.child, above ++ splitConjunctivePredicates(f.condition)))
    case p: Project =>
      val aliases = getAliasMap(p)
      p.copy(child = complete(p.child, above.map(replaceAlias(_, aliases))))
    case s: SubqueryAlias                             => s.copy(child = complete(s.child, above))
    case j: Join if StatefulOperators.isStreamJoin(j) =>
      val must =
        if (j.joinType == Inner) above ++ j.condition.toSeq.flatMap(splitConjunctivePredicates)
        else Nil
      withNotNull(withBounds(j, must)).mapChildren(complete(_, must))
    case other => other.mapChildren(complete(_, Nil))
  }

  private def withBounds(join: Join, predicates: Seq[Expression]): Join = {
    val own = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val (left, right) =
      (JoinBounds.times(join.left.output), JoinBounds.times(join.right.output))
    and(
      join,
      predicates.filter { p =>
        p.deterministic && !own.exists(_.semanticEquals(p)) &&
        JoinBounds.in(Seq(p), left, right).nonEmpty
      }
    )
  }

  private def withNotNull(join: Join): Join =
    and(
      join,
      JoinBounds
        .of(join)
        .flatMap(b => Seq(b.of, b.limited))
        .distinctBy(_.exprId)
        .map(IsNotNull(_))
    )

  private def and(join: Join, predicates: Seq[Expression]): Join =
    if (predicates.isEmpty) join
    else join.copy(condition = (join.condition.toSeq ++ predicates).reduceOption(And(_, _)))
}
