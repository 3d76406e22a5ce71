package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode, TimeMode}

import tidegate.TidegateErrors
import tidegate.plans._

/**
 * Puts a `DropLate` under every operator that would drop late rows.
 *
 * It goes down through filters and projections to where its time or window column is made: rows
 * that a filter in between removes are counted as late too, however the filter is written.
 */
object InsertDropLate {

  def apply(plan: LogicalPlan, mode: OutputMode): LogicalPlan = {
    val names = new UniqueNames
    plan.transformUp {
      case operator if StatefulOperators.name(operator).exists(_ != "limit") =>
        insert(operator, mode, names)
    }
  }

  private def insert(operator: LogicalPlan, mode: OutputMode, names: UniqueNames): LogicalPlan = {
    val name = names.next(StatefulOperators.name(operator).get)
    val child = operator.children.head
    operator match {
      case _: Join if KeyedTimes.of(operator).nonEmpty =>
        throw TidegateErrors.streamJoinNotSupported()
      case _ if !dropsLateRows(operator, mode) => operator
      case _ =>
        EventTimeColumn.of(operator).fold(operator) { time =>
          val key = EventTimeTag.key(time).get
          val input = KeyedTimes.of(child).getOrElse(
            key,
            throw TidegateErrors.keyNotAvailable(
              name,
              time.name,
              key,
              KeyedTimes.whyMissing(child, key)))
          val drop = push(child, time) { (below, column) =>
            val (grid, madeOf) = WindowColumns.grid(below, column).unzip
            val eventTime = madeOf.filter(below.outputSet.contains)
            DropLate(below, column, key, name, input, grid, eventTime)
          }
          operator.withNewChildren(drop +: operator.children.tail)
        }
    }
  }

  /**
   * Operators that work with processing time or without time keep every row; so does a table that
   * is put out whole.
   */
  private def dropsLateRows(operator: LogicalPlan, mode: OutputMode): Boolean = operator match {
    case _: Aggregate => mode != OutputMode.Complete()
    case f: FlatMapGroupsWithState => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case f: FlatMapGroupsInPandasWithState => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case t: TransformWithState => t.timeMode == TimeMode.EventTime()
    case t: TransformWithStateInPySpark => t.timeMode == TimeMode.EventTime()
    case _ => true
  }

  private def push(plan: LogicalPlan, time: Attribute)(
      drop: (LogicalPlan, Attribute) => LogicalPlan): LogicalPlan = plan match {
    case f: Filter => f.copy(child = push(f.child, time)(drop))
    case s: SubqueryAlias => s.copy(child = push(s.child, time)(drop))
    case r: RetagEventTime => r.copy(child = push(r.child, time)(drop))
    case p: Project =>
      p.projectList.find(_.exprId == time.exprId) match {
        case Some(source: Attribute) => p.copy(child = push(p.child, source)(drop))
        case Some(Alias(source: Attribute, _)) => p.copy(child = push(p.child, source)(drop))
        case _ => drop(p, time)
      }
    case other => drop(other, time)
  }
}
