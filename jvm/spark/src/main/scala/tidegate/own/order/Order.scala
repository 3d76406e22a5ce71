package tidegate.own.order

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.operators.StatefulOperators
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StateMark, StoredState}
import tidegate.plans.OwnState
import tidegate.settings.Setting

/** What an event-time order sorts by. */
private[tidegate] final case class OrderState(eventTime: String, partitionBy: Seq[String])
    extends OwnState {

  /** The mark on the state: rows of one key must not be in two places, or ordered by two times. */
  def mark: StateMark = StateMark(EventTimeOrder.StateName, meaning = eventTime +: partitionBy)

  /** For messages. */
  override def toString: String = {
    val what =
      if (partitionBy.isEmpty) "all rows"
      else partitionBy.mkString("the rows of each `", "`, `", "`")
    s"$what by `$eventTime`"
  }
}

/** Event-time order: an operator that Spark does not have. */
private[tidegate] object Order extends OwnOperator {

  override val kind: String = EventTimeOrder.StateName

  override val noun: String = "order"

  override val enabled: Option[Setting[Boolean]] = None

  def stateOf(eventTime: Attribute, partitionBy: Seq[Attribute]): OrderState =
    OrderState(eventTime.name, partitionBy.map(_.name))

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case o: EventTimeOrder =>
      StatefulOperators.nameInQuery(o).map { owner =>
        Claim(
          Some(owner),
          Nil,
          isAppendOnly = false,
          isKeptForSpark = false,
          _ => Right(stateOf(o.eventTime, o.partitionBy)),
          _ => o
        )
      }
    case _ => None
  }

  override def inWords(stored: StoredState): String =
    before(stored).fold("rows that wait")(order => s"rows that wait in the order of $order")

  private def before(stored: StoredState): Option[OrderState] =
    stored.stateMark.filter(_.meaning.nonEmpty).map(m => OrderState(m.meaning.head, m.meaning.tail))

  override val needed: String = "event-time order"

  override def changed(
      operator: String,
      stored: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] =
    Either.cond(before(stored).forall(_ == now), None, s"the query orders $now")

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case o: EventTimeOrder =>
      EventTimeOrderExec(
        o.partitionBy,
        o.eventTime,
        o.nullable,
        in.context(o.operator, isWhole = o.partitionBy.isEmpty),
        in.planLater(o.child)
      )
  }
}
