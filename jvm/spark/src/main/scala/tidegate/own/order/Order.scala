package tidegate.own.order

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.OwnState
import tidegate.settings.Setting

/** Event-time order: an operator that Spark does not have. */
private[tidegate] object Order extends OwnOperator {

  override val kind: String = EventTimeOrder.StateName

  override val noun: String = "order"

  override val names: Seq[String] = Seq(kind)

  override val enabled: Option[Setting[Boolean]] = None

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case o: EventTimeOrder => Claim.always(o, OrderState.of(o.eventTime, o.partitionBy))
    case _                 => None
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
