package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, Sort}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.EventTimeTag
import tidegate.operators.WindowColumns
import tidegate.own.order.EventTimeOrder
import tidegate.plans.KeyedWatermark

/**
 * Makes a stream that is sorted by a keyed time alone, ascending, one in event-time order: Spark
 * does not sort streams. For the plan of a query that is about to start, as only this tells the
 * output mode.
 */
private[tidegate] object LowerSorts extends AtStart {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (mode != OutputMode.Append() || !query.exists(_.isInstanceOf[KeyedWatermark])) query
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        query.transformUp {
          case s: Sort if s.global && s.child.isStreaming =>
            time(s).fold[LogicalPlan](s)(ordered(s, _))
        }
      }

  private def ordered(sort: Sort, time: Attribute): LogicalPlan =
    EventTimeOrder(Nil, time, None, sort.child)

  /**
   * The time by which the rows are sorted. Windows of one size end in the order of their starts.
   */
  private def time(sort: Sort): Option[Attribute] = sort.order match {
    case Seq(SortOrder(a: Attribute, Ascending, _, _)) =>
      sort.child.output
        .find(_.exprId == a.exprId)
        .filter(EventTimeTag.key(_).isDefined)
        .filter(a => EventTimeTag.isTime(a) || WindowColumns.gridOf(sort.child, a).isDefined)
    case _ => None
  }
}
