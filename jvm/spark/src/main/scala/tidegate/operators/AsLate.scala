package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.plans.ColumnOrigin

/**
 * Rows that have waited for one of their times may be late by another one, also if that has the
 * same watermark: a row waits for the end of its window, and its time was long before.
 */
private[operators] object AsLate {

  /** Whether all columns with the watermark of a time are as late as the time, or later. */
  def areAll(rows: LogicalPlan, time: Attribute): Boolean = {
    val key = EventTimeTag.key(time)
    rows.output.filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.key(a) == key).forall {
      isOne(rows, time, _)
    }
  }

  private def isOne(rows: LogicalPlan, time: Attribute, column: Attribute): Boolean = {
    def origin(a: Attribute) = ColumnOrigin.of(rows, a).column.exprId
    def isOfWindow(a: Attribute) = EventTimeTag.isWindow(a) || WindowMark.of(a).isDefined
    origin(column) == origin(time) || isOfWindow(column) && {
      if (isOfWindow(time))
        WindowMark.of(time).exists(m => WindowMark.of(column).exists(_.isOfSameWindow(m)))
      else WindowColumns.grid(rows, column).exists(g => origin(g._2) == origin(time))
    }
  }
}
