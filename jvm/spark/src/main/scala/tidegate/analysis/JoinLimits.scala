package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import tidegate.plans._

/** What the bounds of a join say of the rows in its state. */
private[tidegate] final class JoinLimits(join: Join) {
  private val bounds = JoinBounds.of(join)

  /**
   * The time below which the rows of a side find no partner any more, by the watermark of the other
   * side: of several bounds the tightest holds.
   */
  def of(column: Attribute): Option[InputTime] = {
    val limits = for {
      bound <- bounds
      if bound.limited.exprId == column.exprId
      key <- EventTimeTag.key(bound.of)
      time <- KeyedTimes.of(otherSide(column)).get(key)
    } yield if (bound.byMs == 0) time else BehindTime(time, bound.byMs)
    if (limits.size > 1) Some(TightestTime(limits)) else limits.headOption
  }

  /**
   * The times below which a side puts out no rows any more: one for each column with this key that
   * has a limit.
   *
   * The rows in an open window may be as old as its start, where a plain time goes with it.
   */
  def ofKey(side: LogicalPlan, key: Byte): Seq[InputTime] = {
    val columns = JoinBounds.times(side.output).filter(EventTimeTag.key(_).contains(key))
    columns.flatMap { c =>
      of(c).flatMap { limit =>
        if (!EventTimeTag.isWindow(c) || columns.forall(EventTimeTag.isWindow)) Some(limit)
        else WindowColumns.grid(side, c).map { case (grid, _) => BehindTime(limit, grid.sizeMs) }
      }
    }
  }

  /** The sides whose rows stay in the state for ever. */
  def unbounded: Seq[LogicalPlan] = join.children.filterNot(_.output.exists(of(_).isDefined))

  private def otherSide(column: Attribute): LogicalPlan =
    if (join.left.outputSet.contains(column)) join.right else join.left
}
