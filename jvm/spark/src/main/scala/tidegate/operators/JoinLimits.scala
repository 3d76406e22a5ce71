package tidegate.operators

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole}
import tidegate.core.clock.{BehindTime, InputTime, TightestTime}
import tidegate.plans.ColumnOrigin

/** What the bounds of a join say about the rows in its state. */
private[tidegate] final class JoinLimits(join: Join, keyed: TimesByKey) {
  private val bounds = JoinBounds.of(join)

  /**
   * The time below which the rows of a side find no partner any more, mostly by the watermark of
   * the other side: of several bounds the tightest applies.
   */
  def of(column: Attribute): Option[InputTime] = {
    val limits = for {
      bound <- bounds
      if bound.limited.exprId == column.exprId
      key <- EventTimeTag.key(bound.setBy)
      time <- keyed.of(sideOf(bound.setBy)).get(key)
    } yield {
      // A window that ends at the watermark is closed: if ends must be equal, no row comes at the
      // limit.
      val byMs = if (bound.byMs == 0 && areEnds(bound)) -1L else bound.byMs
      if (byMs == 0) time else BehindTime(time, byMs)
    }
    if (limits.size > 1) Some(TightestTime(limits)) else limits.headOption
  }

  private def areEnds(bound: JoinBound): Boolean = Seq(bound.setBy, bound.limited).forall { a =>
    WindowMark.of(a).exists(m => m.role == WindowRole.End && m.grid.isDefined)
  }

  /**
   * The times below which a side emits no rows any more: one for each time with this key. Empty if
   * some time has no limit: that time may be of any age.
   */
  def ofKey(side: LogicalPlan, key: Byte): Seq[InputTime] = {
    val columns = JoinBounds.times(side.output).filter(EventTimeTag.key(_).contains(key))
    val times = columns.groupBy(madeOf(side, _)).values.toSeq.map(ofTime(side, _))
    if (times.contains(None)) Nil else times.flatten
  }

  /** The limit of one time, from its copies and the windows that were made from it. */
  private def ofTime(side: LogicalPlan, columns: Seq[Attribute]): Option[InputTime] = {
    val (windows, plain) =
      columns.partition(a => EventTimeTag.isWindow(a) || WindowMark.of(a).isDefined)
    def areOf(window: Attribute): Boolean = plain.isEmpty && windows.forall { w =>
      w.exprId == window.exprId ||
      WindowMark.of(w).exists(m => WindowMark.of(window).exists(_.isOfSameWindow(m)))
    }
    // The rows in an open window, and other windows of the same rows, may be as old as its start.
    def ofWindow(window: Attribute) = of(window).flatMap { limit =>
      if (areOf(window)) Some(limit)
      else WindowColumns.gridOf(side, window).map(grid => BehindTime(limit, grid.sizeMs))
    }
    val limit = plain.flatMap(ofExactly).headOption.orElse(windows.flatMap(ofWindow).headOption)
    // The time of a window may be a millisecond older than its end, and than the rows in it.
    if (windows.exists(WindowMark.of(_).isDefined)) limit.map(BehindTime(_, 1)) else limit
  }

  /** State format 4 evicts by plain times in whole ms, the other formats exactly. */
  private def ofExactly(column: Attribute): Option[InputTime] =
    of(column).map(limit => if (inWholeMs) BehindTime(limit, 1) else limit)

  private def inWholeMs: Boolean =
    join.conf.getConf(SQLConf.STREAMING_JOIN_STATE_FORMAT_VERSION) >= 4

  /** The column that this column is a copy of, or from which its windows were made. */
  @tailrec
  private def madeOf(plan: LogicalPlan, column: Attribute): ExprId =
    WindowColumns.grid(plan, column) match {
      case Some((_, time)) => madeOf(plan, time)
      case None            => ColumnOrigin.of(plan, column).column.exprId
    }

  /** The sides whose rows stay in the state for ever. */
  def unbounded: Seq[LogicalPlan] = join.children.filterNot(_.output.exists(of(_).isDefined))

  /**
   * The key and the time that set the limits of a plain column; `None` if the column has a key of
   * its own, or if the key does not reach the join.
   */
  def ofPlain(column: Attribute): Option[(Byte, InputTime)] =
    bounds
      .filter(b => EventTimeTag.key(column).isEmpty && b.limited.exprId == column.exprId)
      .flatMap { bound =>
        EventTimeTag
          .key(bound.setBy)
          .flatMap(key => keyed.of(sideOf(bound.setBy)).get(key).map(key -> _))
      }
      .headOption

  private def sideOf(column: Attribute): LogicalPlan =
    if (join.left.outputSet.contains(column)) join.left else join.right
}
