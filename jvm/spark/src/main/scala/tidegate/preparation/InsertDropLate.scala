package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.{EventTimeTag, InputTime}
import tidegate.errors.WatermarkErrors
import tidegate.operators.{
  EventTimeColumn,
  JoinLimits,
  KeyedTimes,
  StatefulOperators,
  WindowColumns
}
import tidegate.plans.{DropLate, EventTimeOrder, KeyedWatermark, RetagEventTime}

/**
 * Puts a `DropLate` under every operator that would drop late rows, and on each side of a join.
 *
 * It goes down through filters and projections to where its time or window column is made: rows
 * that a filter in between removes are counted as late too, however the filter is written.
 */
object InsertDropLate {

  def apply(plan: LogicalPlan, mode: OutputMode): LogicalPlan = {
    val names = new UniqueNames(plan.collect { case k: KeyedWatermark => k.spec.name })
    plan.transformUp {
      case j: Join if StatefulOperators.isStreamJoin(j)       => insert(j, names)
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
        EventTimeColumn.of(operator).filter(isUsed(operator, child, _)).fold(operator) { time =>
          val input = inputTime(child, time, name)
          val drop = push(child, time, throughAliases = true)(
            dropLate(_, _, name, input, eviction = Some(input), lowestMs(operator))
          )
          operator.withNewChildren(drop +: operator.children.tail) match {
            case o: EventTimeOrder => o.copy(operator = Some(name))
            case other             => other
          }
        }
    }
  }

  /** Spark's operators cannot evict what is before the epoch. */
  private def lowestMs(operator: LogicalPlan): Long = operator match {
    case _: EventTimeOrder => DropLate.NothingLate
    case _                 => 0L
  }

  private def insert(join: Join, names: UniqueNames): LogicalPlan = {
    val name = names.next("join")
    val limits = new JoinLimits(join)
    def side(plan: LogicalPlan, sideName: String): LogicalPlan =
      EventTimeColumn.ofSide(join, plan).filter(isUsed(join, plan, _)).foldLeft(plan) {
        (below, time) =>
          val operator = names.next(s"$name.$sideName")
          val input = inputTime(plan, time, operator)
          // The state of the join is cleaned by this column, so it must be known there by this name.
          push(below, time, throughAliases = false)(
            dropLate(_, _, operator, input, limits.of(time))
          )
      }
    val (left, right) = (side(join.left, "left"), side(join.right, "right"))
    join.copy(left = left, right = right)
  }

  /**
   * A time whose key does not reach the operator is left alone where the operator can do without.
   */
  private def isUsed(operator: LogicalPlan, child: LogicalPlan, time: Attribute): Boolean =
    EventTimeColumn.isNeeded(operator, time) ||
      EventTimeTag.key(time).exists(KeyedTimes.of(child).contains)

  private def inputTime(child: LogicalPlan, time: Attribute, operator: String): InputTime = {
    val key = EventTimeTag.key(time).get
    KeyedTimes
      .of(child)
      .getOrElse(
        key,
        throw WatermarkErrors
          .keyNotAvailable(operator, time.name, key, KeyedTimes.whyMissing(child, key))
      )
  }

  private def dropLate(
      below: LogicalPlan,
      time: Attribute,
      operator: String,
      input: InputTime,
      eviction: Option[InputTime],
      lowestMs: Long = 0L
  ): DropLate = {
    val eventTime = WindowColumns.grid(below, time).map(_._2).filter(below.outputSet.contains)
    val grid = WindowColumns.gridOf(below, time)
    val key = EventTimeTag.key(time).get
    DropLate(below, time, key, operator, input, eviction, grid, eventTime, lowestMs)
  }

  private def push(plan: LogicalPlan, time: Attribute, throughAliases: Boolean)(
      drop: (LogicalPlan, Attribute) => LogicalPlan
  ): LogicalPlan = {
    def down(child: LogicalPlan, column: Attribute) = push(child, column, throughAliases)(drop)
    plan match {
      case f: Filter         => f.copy(child = down(f.child, time))
      case s: SubqueryAlias  => s.copy(child = down(s.child, time))
      case v: View           => v.copy(child = down(v.child, time))
      case r: RetagEventTime => r.copy(child = down(r.child, time))
      case p: Project        =>
        p.projectList.find(_.exprId == time.exprId) match {
          case Some(source: Attribute) => p.copy(child = down(p.child, source))
          case Some(Alias(source: Attribute, _)) if throughAliases =>
            p.copy(child = down(p.child, source))
          case _ => drop(p, time)
        }
      case other => drop(other, time)
    }
  }
}
