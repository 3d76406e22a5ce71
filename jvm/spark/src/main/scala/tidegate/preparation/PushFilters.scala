package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.{DropLate, KeyedWatermark}

/**
 * Moves filters below the watermarks of a query that is as late as in Spark: Spark's optimizer
 * moves a filter below `withWatermark` unless the filter reads the time, so rows that the filter
 * removes do not move the watermark, and make no other rows late.
 *
 * Other keyed watermarks see all rows of their stream, whatever the query asks for.
 */
object PushFilters extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Filter(condition, drop: DropLate) if drop.isInclusive =>
      push(condition, _ => true)(below => drop.copy(child = Filter(below, drop.child)))
        .getOrElse(Filter(condition, drop))
    case Filter(condition, keyed: KeyedWatermark) if keyed.spec.slowestOf.isDefined =>
      push(condition, !_.references.contains(keyed.eventTime)) { below =>
        keyed.copy(left = Filter(below, keyed.left))
      }.getOrElse(Filter(condition, keyed))
  }

  private def push(condition: Expression, mayMove: Expression => Boolean)(
      node: Expression => LogicalPlan
  ): Option[LogicalPlan] = {
    val (moved, kept) =
      splitConjunctivePredicates(condition).partition(p => p.deterministic && mayMove(p))
    moved.reduceLeftOption(And(_, _)).map { below =>
      kept.reduceLeftOption(And(_, _)).fold(node(below))(Filter(_, node(below)))
    }
  }
}
