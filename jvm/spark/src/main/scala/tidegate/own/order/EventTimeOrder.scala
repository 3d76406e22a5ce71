package tidegate.own.order

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.own.StateMark
import tidegate.plans.{EmitsEarlierRows, OwnState, TimedNode}

/**
 * Holds the rows of a stream until the watermark has passed them, and emits them in the order of
 * their event time; rows without a time pass at once.
 *
 * @param partitionBy
 *   the columns by which rows are shuffled: rows with equal values are emitted in order; none: all
 *   rows are
 * @param eventTime
 *   a time, or the window whose end is the time
 * @param operator
 *   the name of the operator whose watermark releases rows; none if the query has not started
 */
final case class EventTimeOrder(
    partitionBy: Seq[Attribute],
    eventTime: Attribute,
    operator: Option[String],
    child: LogicalPlan,
    nullable: Set[ExprId] = Set.empty
) extends EmitsEarlierRows
    with TimedNode {

  override def kind: String = EventTimeOrder.StateName

  override def named(name: String): EventTimeOrder = copy(operator = Some(name))

  override def output: Seq[Attribute] = childOutput

  override protected def withNullable(columns: Set[ExprId]): LogicalPlan = copy(nullable = columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): EventTimeOrder =
    copy(child = newChild)
}

object EventTimeOrder {

  /** The name of the operator in a query, in its progress, and in the metadata of its state. */
  val StateName: String = "orderByEventTime"
}

/** What an event-time order sorts by. */
private[tidegate] final case class OrderState(eventTime: String, partitionBy: Seq[String])
    extends OwnState {

  override def kind: String = EventTimeOrder.StateName

  /** The mark on the state: rows of one key must not be in two places, or ordered by two times. */
  def mark: StateMark = StateMark(kind, meaning = eventTime +: partitionBy)

  /** For messages. */
  override def toString: String = {
    val what =
      if (partitionBy.isEmpty) "all rows"
      else partitionBy.mkString("the rows of each `", "`, `", "`")
    s"$what by `$eventTime`"
  }
}

private[tidegate] object OrderState {

  def of(eventTime: Attribute, partitionBy: Seq[Attribute]): OrderState =
    OrderState(eventTime.name, partitionBy.map(_.name))
}
