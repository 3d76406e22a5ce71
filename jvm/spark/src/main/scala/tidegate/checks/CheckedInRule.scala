package tidegate.checks

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Runs checks in a rule of the analyzer, after all has been resolved: Spark appends the plan to
 * what its own checks say and to what theirs do that extensions add.
 */
final class CheckedInRule(checks: (LogicalPlan => Unit)*) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // What is not resolved Spark refuses. A view is checked as a part of the query that reads it.
    if (plan.resolved && AnalysisContext.get.nestedViewDepth == 0) checks.foreach(_(plan))
    plan
  }
}
