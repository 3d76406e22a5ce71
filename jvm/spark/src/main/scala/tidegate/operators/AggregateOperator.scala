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

/** Aggregations, including those over windows and sessions. */
private[tidegate] object AggregateOperator extends OneInputOperator {

  override val name: String = "aggregate"

  override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[Aggregate]

  override def time(operator: LogicalPlan): Option[Attribute] =
    KeyedColumns.choose(name, KeyedColumns.keyed(keys(operator), operator))

  override def keys(operator: LogicalPlan): Seq[Attribute] =
    operator.asInstanceOf[Aggregate].groupingExpressions.collect { case key: Attribute => key }

  override def inState(operator: LogicalPlan): Seq[Attribute] =
    super.inState(operator).filter(AttributeSet(keys(operator)).contains)

  /** Output mode complete emits the whole table, and keeps late rows. */
  override def dropsLate(mode: OutputMode): Boolean = mode != OutputMode.Complete()

  /**
   * Passes on only the key that the aggregation runs on. A window leaves when the watermark reaches
   * its end. A plain time in the same row may be older than that end. A plain time without a window
   * leaves, in whole ms, only when the watermark has passed it.
   */
  override def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] = {
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
        // A session may end within a millisecond; its time is a whole millisecond before its end.
        case (None, false) if columns.exists(WindowMark.hasRole(_, WindowRole.Time)) =>
          Some(key -> BehindTime(time, 1))
        case (None, false)                           => Some(key -> time)
        case (Some(g), true) if g.sizeMs > g.slideMs =>
          Some(key -> BehindTime(GridTime(time, g), g.sizeMs - g.slideMs))
        case (Some(g), _) => Some(key -> GridTime(time, g))
      }
    }
  }

  /** Whether a mark belongs to the window that the aggregation runs on, and not to another one. */
  private def isMadeBy(a: Aggregate, column: Option[Attribute], mark: WindowMark): Boolean =
    column.exists(c =>
      WindowMark.of(c) match {
        case Some(own) => own.isOfSameWindow(mark)
        // The aggregation itself makes the columns of a session.
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
          // In append mode Spark's operator asks for a watermark.
          eventTimeWatermarkForEviction =
            if (s.outputMode.contains(OutputMode.Update())) times.evictionOfKeysIfMoved
            else times.evictionOfKeys
        )
    case s: SessionWindowStateStoreSaveExec =>
      times =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = times.evictionOfWindows
        )
    case s: SessionWindowStateStoreRestoreExec =>
      times =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = times.evictionOfWindows
        )
  }
}
