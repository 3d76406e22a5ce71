package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{AttributeMap, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.streaming.OutputMode
import tidegate.plans.AppendedRows

/**
 * A rule for the plan of a query that is about to start: it writes what Spark has not for streams
 * in terms of what Spark has.
 */
private[tidegate] abstract class AtStart extends Rule[LogicalPlan] {

  /** The query, as it runs. */
  protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan

  final override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement =>
      w.copy(inputQuery = inQuery(aboveAppended(w.inputQuery), w.outputMode))
    case other => other
  }

  /** A query, of which the parts that append are as they run. */
  private def aboveAppended(query: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      query.transformUp {
        case a: AppendedRows => AppendedRows(inQuery(a.rows, OutputMode.Append()))
        case above if above.children.exists(_.isInstanceOf[AppendedRows]) =>
          // A column may be no time any more.
          val columns = AttributeMap(above.inputSet.toSeq.map(a => a -> a.metadata))
          above.transformExpressions { case a: AttributeReference =>
            columns.get(a).fold(a)(a.withMetadata)
          }
      }
    }

  /** As the rule, for a query that nobody starts, as in `explain` of a DataFrame. */
  final val ofExplained: Rule[LogicalPlan] = new Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = inQuery(plan, OutputMode.Append())
  }
}
