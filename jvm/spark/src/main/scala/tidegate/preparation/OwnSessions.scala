package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Max, Min}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.types.LongType
import tidegate.columns.{FloorMicros, WindowTimes}
import tidegate.operators.StatefulOperators
import tidegate.plans.SessionAggregate

/**
 * The plan of an aggregation over sessions that Tidegate merges.
 *
 * @param session
 *   the column with Spark's session of each single row
 * @param grouping
 *   the keys beside the session
 */
private[preparation] final class OwnSessions(
    a: Aggregate,
    session: Attribute,
    grouping: Seq[Expression],
    gapMicros: Long
) {
  private val keys: Seq[(Expression, NamedExpression)] = grouping.map {
    case column: Attribute => column -> column
    case key               => key -> Alias(key, nameOf(key))()
  }
  private val functions = distinctFunctions.map(f => f -> Alias(f, f.sql)())
  private val columns = keys ++ functions

  private val frame = AttributeReference("frame", LongType, nullable = false)()
  private val start = Alias(Min(part(0)).toAggregateExpression(), "start")()
  private val end = Alias(Max(part(1)).toAggregateExpression(), "end")()

  /** Start or end of the session of a single row, in µs. */
  private def part(i: Int): Expression = WindowTimes.micros(GetStructField(session, i))

  def plan: LogicalPlan = {
    // Spark would give computed keys names of its own, and it removes constant keys.
    val computed = keys.collect { case (key, name: Alias) if !key.foldable => name }
    val groups = keys.map { case (key, name) => if (key.foldable) key else name.toAttribute }
    val inFrames = Alias(FloorMicros(part(0), gapMicros, 0L), frame.name)(exprId = frame.exprId)
    val parts = Aggregate(
      groups :+ frame,
      (columns
        .map(_._2)
        .map(c => if (computed.contains(c)) c.toAttribute else c) :+ end :+ start) :+
        frame,
      Project(a.child.output ++ computed :+ inFrames, a.child)
    )
    val operator = StatefulOperators.nameInQuery(a).map(_.name)
    val whole =
      SessionAggregate(start.toAttribute, end.toAttribute, frame, gapMicros, operator, parts)
    Project(a.aggregateExpressions.map(resultOf), whole)
  }

  /** The name that the query gives the key: readers of the state find the key by it. */
  private def nameOf(key: Expression): String =
    a.aggregateExpressions
      .collectFirst { case Alias(child, name) if child.semanticEquals(key) => name }
      .getOrElse(toPrettySQL(key))

  private def distinctFunctions: Seq[AggregateExpression] =
    a.aggregateExpressions
      .flatMap(_.collect { case e: AggregateExpression => e })
      .foldLeft(Seq.empty[AggregateExpression]) { (all, e) =>
        if (all.exists(_ eq e)) all else all :+ e
      }

  private def resultOf(e: NamedExpression): NamedExpression = {
    def column(of: Expression) = columns.find { case (definition, _) =>
      // Nondeterministic functions such as `first` never equal another expression.
      (definition eq of) || definition.semanticEquals(of)
    }
    val rewritten = e.transformDown {
      case part if column(part).isDefined             => column(part).get._2.toAttribute
      case s: Attribute if s.exprId == session.exprId => sessionStruct
    }
    rewritten match {
      case same: Attribute if same.exprId == e.exprId => same.withMetadata(e.metadata)
      case Alias(child, _)                            => named(child, e)
      case other                                      => named(other, e)
    }
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

  private def named(child: Expression, as: NamedExpression): Alias =
    Alias(child, as.name)(as.exprId, as.qualifier, Some(as.metadata))
}
