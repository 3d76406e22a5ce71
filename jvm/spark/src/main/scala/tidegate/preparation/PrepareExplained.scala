package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, SparkSession}
import tidegate.clock.RunningQuery
import tidegate.plans.{ExplainedQuery, KeyedWatermark, PreparedQuery}

/**
 * Makes the plan of a query that nobody has started as it would be in a new query, in output mode
 * append: `EXPLAIN` and `df.explain()` shall name the operators of joins and deduplications, which
 * are chosen by the times that these have.
 *
 * A plan that could not start stays as it is, because to explain it is no error. And so does the
 * plan of a frame that a function in `foreachBatch` explains: its operators have names of their
 * own, and may not be taken for those of the query that runs.
 */
object PrepareExplained extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!isExplained(plan)) plan
    else
      try {
        val query = QueryPreparation.explained(plan)
        val (made, own) =
          OwnOperators.decide(query, OutputMode.Append(), None, isReplaced = false)
        ExplainedQuery(own, made)
      } catch {
        case _: AnalysisException => plan
      }

  private def isExplained(plan: LogicalPlan): Boolean =
    plan.isStreaming && plan.exists(_.isInstanceOf[KeyedWatermark]) && !plan.exists {
      case _: PreparedQuery | _: ExplainedQuery => true
      case _                                    => false
    } && !ReplaceWatermarks.isWanted(plan) &&
      RunningQuery.current(SparkSession.active.sparkContext).isEmpty
}
