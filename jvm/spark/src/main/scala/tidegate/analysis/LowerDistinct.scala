package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.functions.DistinctValues

/** Makes `count(DISTINCT x)` of a stream, which Spark does not take, an aggregate of our own. */
object LowerDistinct extends AtStart {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      query.transformWithSubqueries {
        case a: Aggregate if a.isStreaming && a.aggregateExpressions.exists(_.exists(isDistinct)) =>
          a.transformExpressions { case e: AggregateExpression if isDistinct(e) => lowered(e) }
      }
    }

  private def isDistinct(e: Expression): Boolean = e match {
    case a: AggregateExpression => a.isDistinct
    case _                      => false
  }

  private def lowered(e: AggregateExpression): AggregateExpression =
    DistinctValues
      .of(e.aggregateFunction)
      .fold(e)(values => e.copy(aggregateFunction = values, isDistinct = false))
}
