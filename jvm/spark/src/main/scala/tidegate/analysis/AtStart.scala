package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.streaming.OutputMode

/**
 * A rule for the plan of a query that is about to start: it writes what Spark has not for streams
 * in terms of what Spark has.
 */
private[tidegate] abstract class AtStart extends Rule[LogicalPlan] {

  /** The query, as it runs. */
  protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan

  final override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement => w.copy(inputQuery = inQuery(w.inputQuery, w.outputMode))
    case other                     => other
  }

  /** As the rule, for a query that nobody starts, as in `explain` of a DataFrame. */
  final val ofExplained: Rule[LogicalPlan] = new Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = inQuery(plan, OutputMode.Append())
  }
}
