package tidegate.analysis

import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.{WriteToStream, WriteToStreamStatement}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.operators.LastAggregation
import tidegate.plans.AppendedRows

/**
 * Sets the part of a query apart that appends although the output mode is update: all below the
 * last aggregation. Spark refuses such a chain, as Spark's operators all have the mode of the
 * query.
 *
 * For the plan of a query that is about to start.
 */
private[tidegate] object AppendBelowUpdates extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement if w.outputMode == OutputMode.Update() =>
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        // A common table expression that is used twice has its clock twice then.
        val query = KeepOneClock(InlineCTE(alwaysInline = true)(w.inputQuery))
        val appended = LastAggregation.inputs(query, w.outputMode)
        if (appended.isEmpty) w
        else
          w.copy(inputQuery = query.transformDown {
            case last if last.children.exists(rows => appended.exists(_ eq rows)) =>
              last.mapChildren(AppendedRows(_))
          })
      }
    case other => other
  }

  /** Puts the parts together again, when Spark has checked the plan. */
  val undone: Rule[LogicalPlan] = new Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan match {
      case w: WriteToStream if w.inputQuery.exists(_.isInstanceOf[AppendedRows]) =>
        AnalysisHelper.allowInvokingTransformsInAnalyzer {
          w.copy(inputQuery = w.inputQuery.transformUp { case a: AppendedRows => a.rows })
        }
      case other => other
    }
  }
}
