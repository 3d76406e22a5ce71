package tidegate.checks

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Cast,
  Expression,
  Literal,
  NamedExpression,
  SessionWindow
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.unsafe.types.UTF8String
import tidegate.analysis.RefreshViewColumns
import tidegate.errors.SessionErrors
import tidegate.own.sessions.SessionGap
import tidegate.plans.{KeyedWatermark, SessionWindows}

/** Refuses sessions that no aggregation merges, and gaps with which no row is in a session. */
object CheckSessions extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan match {
    // A view may leave the aggregation to the query that reads it.
    case _: AnalysisOnlyCommand                 => ()
    case _ if RefreshViewColumns.isOfView(plan) => ()
    case _                                      =>
      plan.foreach {
        case s: SessionWindows =>
          CurrentOrigin.withOrigin(s.origin)(throw SessionErrors.sessionWithoutAggregate())
        case p: Project if p.child.exists(_.isInstanceOf[KeyedWatermark]) =>
          p.projectList.foreach(checkGap)
        case _ => ()
      }
  }

  private def checkGap(column: NamedExpression): Unit = column match {
    case Alias(session, _) if column.metadata.contains(SessionWindow.marker) =>
      SessionGap.nothing(session).foreach(gap => throw SessionErrors.sessionGap(written(gap)))
    case _ => ()
  }

  /** A text as it was written, before Spark made an interval of it. */
  private def written(gap: Expression): String = gap match {
    case c: Cast                      => written(c.child)
    case Literal(text: UTF8String, _) => s"'$text'"
    case other                        => other.sql
  }
}
