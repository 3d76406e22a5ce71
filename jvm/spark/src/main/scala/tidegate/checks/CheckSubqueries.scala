package tidegate.checks

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import tidegate.analysis.LowerSubqueries.isKeyed
import tidegate.errors.RefusalErrors

/**
 * Refuses keyed streams in subqueries of which no join was made. Spark refuses them too, right
 * after this, but does not say what to write in their place.
 */
object CheckSubqueries extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(PLAN_EXPRESSION)) plan.foreach { node =>
      node.expressions.foreach(check(_, isNegated = false))
    }

  private def check(e: Expression, isNegated: Boolean): Unit = e match {
    case Not(child)                                        => check(child, !isNegated)
    case exists: Exists if isKeyed(exists)                 => refuse(e, "EXISTS", isNegated)
    case InSubquery(_, query: ListQuery) if isKeyed(query) => refuse(e, "IN", isNegated)
    case s: SubqueryExpression if isKeyed(s)               =>
      CurrentOrigin.withOrigin(e.origin)(throw RefusalErrors.streamAsValue())
    case other => other.children.foreach(check(_, isNegated = false))
  }

  private def refuse(e: Expression, word: String, isNegated: Boolean): Unit =
    CurrentOrigin.withOrigin(e.origin) {
      throw RefusalErrors.streamInSubquery(word, isNegated)
    }
}
