package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole}
import tidegate.plans.ColumnOrigin

/**
 * Start and end of windows as terms of a sum of times. A window counts as its end, which is what a
 * watermark is compared with; its start is the end less its length, if the length is known.
 */
private[operators] final class WindowTerms(join: Join) {
  private val MicrosPerMs = 1000L

  /** The sum that an expression stands for, if it is the start or the end of a window. */
  def of(e: Expression): Option[TimeSum] = e match {
    case GetStructField(window: Attribute, 1, _) => keyed(window).map(w => TimeSum.of(w.exprId))
    case GetStructField(window: Attribute, 0, _) => keyed(window).flatMap(startOf)
    case column: Attribute                       => startColumn(column)
    case _                                       => None
  }

  /** The length of a window in ms, if all windows of its column have the same. */
  def sizeMs(window: Attribute): Option[Long] =
    sideOf(window).flatMap(WindowColumns.gridOf(_, window)).map(_.sizeMs)

  private def keyed(window: Attribute): Option[Attribute] =
    sideOf(window)
      .flatMap(_.output.find(_.exprId == window.exprId))
      .filter(w => EventTimeTag.isWindow(w) && EventTimeTag.key(w).isDefined)

  private def startOf(window: Attribute): Option[TimeSum] =
    sizeMs(window).map(behind(window, _))

  /** The start column of a window of ours: its own end must be there too, and there only once. */
  private def startColumn(column: Attribute): Option[TimeSum] = for {
    side <- sideOf(column)
    own <- side.output.find(_.exprId == column.exprId)
    mark <- WindowMark.of(own).filter(m => m.role == WindowRole.Start && !m.sharesStart)
    grid <- mark.grid
    Seq(end) <- Some(side.output.filter { a =>
      EventTimeTag.key(a).isDefined && isOneWindow(side, own, a) &&
      WindowMark.of(a).exists(m => m.role == WindowRole.End && m.isOfSameWindow(mark))
    })
  } yield behind(end, grid.sizeMs)

  /**
   * Whether two columns were made together: a join may have left the other ones of both windows.
   */
  private def isOneWindow(side: LogicalPlan, start: Attribute, end: Attribute): Boolean =
    ColumnOrigin.of(side, start).node.eq(ColumnOrigin.of(side, end).node) ||
      WindowColumns
        .timeOf(side, start)
        .exists(time => WindowColumns.timeOf(side, end).exists(_.exprId == time.exprId))

  private def behind(end: Attribute, ms: Long): TimeSum =
    TimeSum.of(end.exprId).copy(micros = -ms * MicrosPerMs)

  private def sideOf(column: Attribute): Option[LogicalPlan] =
    join.children.find(_.outputSet.contains(column))
}
