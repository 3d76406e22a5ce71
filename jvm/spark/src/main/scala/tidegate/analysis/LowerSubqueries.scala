package tidegate.analysis

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{
  PullupCorrelatedPredicates,
  RewritePredicateSubquery
}
import org.apache.spark.sql.catalyst.plans.logical.{
  AnalysisHelper,
  Filter,
  LocalRelation,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import tidegate.operators.{Conjunction, JoinBounds, StreamJoin}
import tidegate.plans.KeyedWatermark

/**
 * Makes a stream in `EXISTS`, `IN` and `NOT EXISTS` a left semi or a left anti join, where the
 * condition of the subquery bounds the times of both streams. Spark does so in the optimizer, when
 * it has refused streams in subqueries.
 */
private[tidegate] object LowerSubqueries extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.resolved || !plan.isStreaming || !plan.containsPattern(PLAN_EXPRESSION)) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        plan.transformUp { case f: Filter => joined(f) }
      }

  private def joined(filter: Filter): LogicalPlan = {
    val (ofStreams, others) = splitConjunctivePredicates(filter.condition).partition(isOfStream)
    ofStreams
      .foldLeft(filter.child -> others) { case ((below, left), subquery) =>
        join(subquery, below) match {
          case Some(join) => join -> left
          case None       => below -> (left :+ subquery)
        }
      } match {
      case (child, _) if child eq filter.child => filter
      case (child, Seq())                      => child
      case (child, conditions)                 => Filter(conditions.reduce(And), child)
    }
  }

  private def isOfStream(e: Expression): Boolean = e match {
    case exists: Exists                  => isKeyed(exists)
    case Not(exists: Exists)             => isKeyed(exists)
    case InSubquery(_, query: ListQuery) => isKeyed(query)
    case _                               => false
  }

  /** Whether a subquery reads a keyed stream. */
  def isKeyed(e: SubqueryExpression): Boolean =
    e.plan.isStreaming && KeyedWatermark.isIn(e.plan)

  /** None without bounds: then rows would stay in the state for ever. */
  private def join(subquery: Expression, below: LogicalPlan): Option[LogicalPlan] = {
    val condition = subquery.transform { case s: SubqueryExpression =>
      s.withNewPlan(prepared(s.plan))
    }
    // The rules would look at all subqueries of the plan below, which is none of theirs here.
    val leaf = LocalRelation(below.output, isStreaming = true)
    val joined = RewritePredicateSubquery(PullupCorrelatedPredicates(Filter(condition, leaf)))
    val isOnce = joined.collect { case l: LocalRelation if l eq leaf => l }.size == 1
    Some(joined.transform { case l: LocalRelation if l eq leaf => below }).filter {
      case StreamJoin(j)             => isOnce && JoinBounds.of(j).nonEmpty
      case Project(_, StreamJoin(j)) => isOnce && JoinBounds.of(j).nonEmpty
      case _                         => false
    }
  }

  /**
   * Spark's rules expect no names of views, and leave references to the outer query in a BETWEEN.
   */
  private def prepared(plan: LogicalPlan): LogicalPlan =
    EliminateSubqueryAliases(plan).transformAllExpressions { case b: Between =>
      b.replacement match {
        case w: With     => Conjunction.inlined(w)
        case replacement => replacement
      }
    }
}
