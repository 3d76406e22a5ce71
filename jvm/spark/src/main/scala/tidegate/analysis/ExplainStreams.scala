package tidegate.analysis

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ExplainCommand
import tidegate.plans.KeyedWatermark

/**
 * Lets `EXPLAIN` plan a statement over a stream with a keyed watermark. Spark looks for a stream in
 * the parsed statement, which shows none before its tables are resolved. So Spark takes it for a
 * batch query, and refuses to plan it.
 *
 * @param analyze
 *   Spark's analysis
 */
final case class ExplainStreams(analyze: LogicalPlan => LogicalPlan) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case e: ExplainCommand if !e.logicalPlan.isStreaming =>
      keyedStream(e.logicalPlan).fold[LogicalPlan](e)(query => e.copy(logicalPlan = query))
    case other => other
  }

  private def keyedStream(query: LogicalPlan): Option[LogicalPlan] =
    try
      Some(analyze(query.clone())).filter(p =>
        p.isStreaming && p.exists(_.isInstanceOf[KeyedWatermark])
      )
    catch {
      // The explanation itself raises the same error, with its position.
      case _: AnalysisException => None
    }
}
