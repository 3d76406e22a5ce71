package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
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
      case join: Join if StatefulOperators.name(join).isDefined && KeyedTimes.of(join).nonEmpty =>
        throw TidegateErrors.streamJoinNotSupported()
      case operator if StatefulOperators.hasOneTime(operator) => insert(operator, mode, names)
    }
  }

  private def insert(operator: LogicalPlan, mode: OutputMode, names: UniqueNames): LogicalPlan = {
    val name = names.next(StatefulOperators.name(operator).get)
    val child = operator.children.head
    operator match {
      // A table that is put out whole keeps late rows.
      case _: Aggregate if mode == OutputMode.Complete() => operator
      case _                                             =>
        EventTimeColumn.of(operator).fold(operator) { time =>
          val key = EventTimeTag.key(time).get
          val input = KeyedTimes
            .of(child)
            .getOrElse(
              key,
              throw TidegateErrors
                .keyNotAvailable(name, time.name, key, KeyedTimes.whyMissing(child, key))
            )
          val drop = push(child, time) { (below, column) =>
            val (grid, madeOf) = WindowColumns.grid(below, column).unzip
            val eventTime = madeOf.filter(below.outputSet.contains)
            DropLate(below, column, key, name, input, grid, eventTime)
          }
          operator.withNewChildren(drop +: operator.children.tail)
        }
    }
  }

  private def push(plan: LogicalPlan, time: Attribute)(
      drop: (LogicalPlan, Attribute) => LogicalPlan
  ): LogicalPlan = plan match {
    case f: Filter         => f.copy(child = push(f.child, time)(drop))
    case s: SubqueryAlias  => s.copy(child = push(s.child, time)(drop))
    case r: RetagEventTime => r.copy(child = push(r.child, time)(drop))
    case p: Project        =>
      p.projectList.find(_.exprId == time.exprId) match {
        case Some(source: Attribute)           => p.copy(child = push(p.child, source)(drop))
        case Some(Alias(source: Attribute, _)) => p.copy(child = push(p.child, source)(drop))
        case _                                 => drop(p, time)
      }
    case other => drop(other, time)
  }
}
