package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{
  SessionWindowStateStoreRestoreExec,
  SessionWindowStateStoreSaveExec,
  StateStoreSaveExec
}
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole}
import tidegate.core.clock.{BehindTime, GridTime, InputTime}
import tidegate.operators.StateTimes.NothingIsLate

/** Aggregations, also of windows and of sessions. */
private[tidegate] object AggregateOperator extends OneTimeOperator {

  override val name: String = "aggregate"

  override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[Aggregate]

  override def time(operator: LogicalPlan): Option[Attribute] =
    EventTimeColumn.choose(name, EventTimeColumn.keyed(keys(operator), operator))

  override def keys(operator: LogicalPlan): Seq[Attribute] =
    operator.asInstanceOf[Aggregate].groupingExpressions.collect { case key: Attribute => key }

  override def inState(operator: LogicalPlan): Seq[Attribute] =
    super.inState(operator).filter(AttributeSet(keys(operator)).contains)

  /** A table that is put out whole keeps late rows. */
  override def dropsLate(mode: OutputMode): Boolean = mode != OutputMode.Complete()

  /**
   * Only the key that it runs on, and of windows only their ends. A window leaves when it has
   * ended. A plain time that goes with it may be that much older; and a plain time alone leaves, in
   * whole ms, only when it has passed.
   */
  override def passedOn(operator: LogicalPlan, times: KeyedTimes): Map[Byte, InputTime] = {
    val a = operator.asInstanceOf[Aggregate]
    val column = time(a)
    val grid = column.flatMap(WindowColumns.gridOf(a.child, _))
    times.onlyKeyOf(column, a.child).flatMap { case (key, time) =>
      val columns = a.output.filter(c => EventTimeTag.key(c).contains(key))
      val own = a.output.flatMap(WindowMark.of).filter(isMadeBy(a, column, _))
      val withPlainTime = columns.exists { c =>
        !EventTimeTag.isWindow(c) && !WindowMark.of(c).exists(m => own.exists(_.isOfSameWindow(m)))
      }
      (grid, withPlainTime) match {
        case (None, _) if !column.exists(EventTimeTag.closesWindow) =>
          Some(key -> BehindTime(time, 1))
        case (None, true) => None
        // A session may end within a millisecond; its time is a whole one before.
        case (None, false) if columns.exists(WindowMark.hasRole(_, WindowRole.Time)) =>
          Some(key -> BehindTime(time, 1))
        case (None, false)                           => Some(key -> time)
        case (Some(g), true) if g.sizeMs > g.slideMs =>
          Some(key -> BehindTime(GridTime(time, g), g.sizeMs - g.slideMs))
        case (Some(g), _) => Some(key -> GridTime(time, g))
      }
    }
  }

  /** Whether a column of ours is of the window that the aggregation runs on, and not of another. */
  private def isMadeBy(a: Aggregate, column: Option[Attribute], mark: WindowMark): Boolean =
    column.exists(c =>
      WindowMark.of(c) match {
        case Some(own) => own.isOfSameWindow(mark)
        // The columns of a session are made in its aggregation.
        case None =>
          EventTimeTag.isWindow(c) && mark.grid.isEmpty && !a.child.output.exists(
            WindowMark.of(_).contains(mark)
          )
      }
    )

  override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = {
    case s: StateStoreSaveExec =>
      times =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = times.evictionOfKeys
        )
    case s: SessionWindowStateStoreSaveExec =>
      times =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = times.eviction
        )
    case s: SessionWindowStateStoreRestoreExec =>
      times =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = times.eviction
        )
  }
}
