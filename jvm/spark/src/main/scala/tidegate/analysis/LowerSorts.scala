package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, NullsFirst, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  Project,
  Sort,
  SubqueryAlias,
  WithCTE
}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.EventTimeTag
import tidegate.operators.WindowColumns
import tidegate.own.order.EventTimeOrder
import tidegate.plans.KeyedWatermark

/**
 * Makes a stream that is sorted by a keyed time alone, ascending, one in event-time order: Spark
 * does not sort streams. For the plan of a query that is about to start, as only this tells the
 * output mode.
 *
 * Only the sort of the result counts: below an operator an order would hold rows back, and a limit
 * would count rows without a time that a table has elsewhere. A query that has started has its
 * decisions above the sort, and stays as it is.
 */
private[tidegate] object LowerSorts extends AtStart {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (mode != OutputMode.Append() || !query.exists(_.isInstanceOf[KeyedWatermark])) query
    else lowered(query)

  private def lowered(plan: LogicalPlan): LogicalPlan = plan match {
    case p: Project                                 => p.withNewChildren(Seq(lowered(p.child)))
    case s: SubqueryAlias                           => s.withNewChildren(Seq(lowered(s.child)))
    case w: WithCTE                                 => w.copy(plan = lowered(w.plan))
    case s: Sort if s.global && s.child.isStreaming =>
      time(s).fold[LogicalPlan](s)(EventTimeOrder(Nil, _, None, s.child))
    case other => other
  }

  /**
   * The time by which the rows are sorted. Rows without a time leave first. Windows of one size end
   * in the order of their starts.
   */
  private def time(sort: Sort): Option[Attribute] = sort.order match {
    case Seq(SortOrder(a: Attribute, Ascending, NullsFirst, _)) =>
      sort.child.output
        .find(_.exprId == a.exprId)
        .filter(EventTimeTag.key(_).isDefined)
        .filter(a => EventTimeTag.isTime(a) || WindowColumns.gridOf(sort.child, a).isDefined)
    case _ => None
  }
}
