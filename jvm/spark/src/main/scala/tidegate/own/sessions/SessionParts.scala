package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import tidegate.own.aggregates.FrameAggregates
import tidegate.own.aggregates.PartialAggregation

/**
 * The parts of sessions that a partial aggregation makes: keys, start, end, and the buffers of the
 * functions of the query. The frame is not part of them.
 */
private[tidegate] final class SessionParts(partial: PartialAggregation, node: SessionAggregate) {
  private val start = functionOf(node.start)
  private val end = functionOf(node.end)
  private val functions =
    end +: partial.functions.filterNot(f => f.eq(start) || f.eq(end))

  private def functionOf(column: Attribute): AggregateExpression = {
    val result = partial.definitions(column)
    partial.functions.find(_.resultAttribute.semanticEquals(result)).get
  }

  /** What is computed for a session with these results. */
  def aggregates(output: Seq[NamedExpression]): FrameAggregates = {
    // The operator knows the start of a session, and aggregates no times for it.
    val results = partial
      .results(output)
      .map(_.transform {
        case a: Attribute if a.semanticEquals(start.resultAttribute) => node.start
      }.asInstanceOf[NamedExpression])
    FrameAggregates(
      partial.stateKeys,
      node.start,
      functions,
      results,
      SessionRow.Times
    )
  }

  /** Emits the parts that come from rows. */
  def over(rows: SparkPlan): SparkPlan = {
    def buffers(f: AggregateExpression) = f.aggregateFunction.inputAggBufferAttributes
    ProjectExec(
      partial.keys.map(_.toAttribute) ++ buffers(start) ++ functions.flatMap(buffers),
      partial.over(rows)
    )
  }
}
