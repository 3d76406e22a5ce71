package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Max, Min}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.types.LongType
import tidegate.columns.{FloorMicros, WindowTimes}
import tidegate.operators.StatefulOperators
import tidegate.own.aggregates.AggregateColumns

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
