package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  Expression,
  GetStructField,
  NamedExpression,
  NullsFirst,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
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
    case s: Sort if s.global && s.child.isStreaming => ordered(s).orElse(byBound(s)).getOrElse(s)
    case other                                      => other
  }

  private def ordered(sort: Sort): Option[LogicalPlan] =
    time(sort).map(EventTimeOrder(Nil, _, None, sort.child))

  /** Sorted by a bound of a window which is not in the result itself. */
  private def byBound(sort: Sort): Option[LogicalPlan] = for {
    bound <- sort.order.headOption.filter(_ => sort.order.size == 1)
    (child, window) <- withWindow(sort.child, bound.child)
    order <- ordered(sort.copy(order = Seq(bound.copy(child = window)), child = child))
  } yield Project(sort.child.output, order)

  /** A plan that gives the window too of which a column is a bound. */
  private def withWindow(
      plan: LogicalPlan,
      column: Expression
  ): Option[(LogicalPlan, Attribute)] = {
    def windowIn(columns: Seq[NamedExpression]) = columns.collectFirst {
      case a @ Alias(TimeOrBound(window), _) if a.toAttribute.semanticEquals(column) => window
    }
    plan match {
      case p: Project =>
        windowIn(p.projectList).map(w => p.copy(projectList = withColumn(p.projectList, w)) -> w)
      case a: Aggregate =>
        windowIn(a.aggregateExpressions)
          .filter(w => a.groupingExpressions.exists(_.semanticEquals(w)))
          .map(w => a.copy(aggregateExpressions = withColumn(a.aggregateExpressions, w)) -> w)
      case f: Filter =>
        withWindow(f.child, column).map { case (child, w) => f.copy(child = child) -> w }
      case _ => None
    }
  }

  private def withColumn(columns: Seq[NamedExpression], a: Attribute): Seq[NamedExpression] =
    if (columns.exists(_.toAttribute.semanticEquals(a))) columns else columns :+ a

  /** A column, or a bound of a window. */
  private object TimeOrBound {
    def unapply(e: Expression): Option[Attribute] = e match {
      case a: Attribute                                                   => Some(a)
      case GetStructField(a: Attribute, _, _) if EventTimeTag.isWindow(a) => Some(a)
      case _                                                              => None
    }
  }

  /**
   * The time by which the rows are sorted. Rows without a time leave first. Windows of one size end
   * in the order of their starts.
   */
  private def time(sort: Sort): Option[Attribute] = sort.order match {
    case Seq(SortOrder(TimeOrBound(a), Ascending, NullsFirst, _)) =>
      sort.child.output
        .find(_.exprId == a.exprId)
        .filter(EventTimeTag.key(_).isDefined)
        .filter(a => EventTimeTag.isTime(a) || WindowColumns.gridOf(sort.child, a).isDefined)
    case _ => None
  }
}
