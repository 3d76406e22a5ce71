package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Max, Min}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.types.LongType
import tidegate.columns.{FloorMicros, WindowTimes}
import tidegate.operators.StatefulOperators
import tidegate.own.aggregates.{AggregateColumns, FrameAggregates, PartialAggregation}

/**
 * The plan of an aggregation over sessions that Tidegate merges.
 *
 * @param session
 *   the column with Spark's session of each single row
 * @param grouping
 *   the keys beside the session
 */
private[own] final class OwnSessions(
    a: Aggregate,
    session: Attribute,
    grouping: Seq[Expression],
    gapMicros: Long
) {
  private val columns = new AggregateColumns(a, grouping)
  private val frame = AttributeReference("frame", LongType, nullable = false)()
  private val start = Alias(Min(part(0)).toAggregateExpression(), "start")()
  private val end = Alias(Max(part(1)).toAggregateExpression(), "end")()

  /** Start or end of the session of a single row, in µs. */
  private def part(i: Int): Expression = WindowTimes.micros(GetStructField(session, i))

  def plan: LogicalPlan = {
    val inFrames = Alias(FloorMicros(part(0), gapMicros, 0L), frame.name)(exprId = frame.exprId)
    val parts = Aggregate(
      columns.names :+ frame,
      columns.aggregated ++ Seq(end, start, frame),
      Project(a.child.output ++ columns.computed :+ inFrames, a.child)
    )
    val operator = StatefulOperators.nameInQuery(a).map(_.name)
    val whole =
      SessionAggregate(start.toAttribute, end.toAttribute, frame, gapMicros, operator, parts)
    val results = a.aggregateExpressions.map(columns.result(_) {
      case s if s.exprId == session.exprId => sessionStruct
    })
    Project(results, whole)
  }

  private def sessionStruct: Expression = {
    val time = GetStructField(session, 0).dataType
    // Nullable, as Spark has them.
    def timestamp(micros: Attribute) =
      KnownNullable(PreciseTimestampConversion(micros, LongType, time))
    CreateNamedStruct(
      Seq(
        Literal("start"),
        timestamp(start.toAttribute),
        Literal("end"),
        timestamp(end.toAttribute)
      )
    )
  }
}

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
