package tidegate.checks

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.analysis.RefreshViewColumns
import tidegate.errors.SessionErrors
import tidegate.plans.SessionWindows

/** Refuses sessions that no aggregation merges. */
object CheckSessions extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan match {
    // A view may leave the aggregation to the query that reads it.
    case _: AnalysisOnlyCommand                 => ()
    case _ if RefreshViewColumns.isOfView(plan) => ()
    case _                                      =>
      plan.foreach {
        case s: SessionWindows =>
          CurrentOrigin.withOrigin(s.origin)(throw SessionErrors.sessionWithoutAggregate())
        case _ => ()
      }
  }
}
