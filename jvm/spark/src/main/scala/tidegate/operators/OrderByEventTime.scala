package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.own.order.EventTimeOrder

/**
 * Event-time order: our own operator. It is planned with its watermarks, so there is nothing to
 * bind.
 */
private[tidegate] object OrderByEventTime extends OneTimeOperator {

  override val name: String = EventTimeOrder.StateName

  override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[EventTimeOrder]

  override def time(operator: LogicalPlan): Option[Attribute] =
    EventTimeColumn
      .keyed(Seq(operator.asInstanceOf[EventTimeOrder].eventTime), operator)
      .headOption

  override def named(operator: LogicalPlan, name: String): LogicalPlan =
    operator.asInstanceOf[EventTimeOrder].copy(operator = Some(name))

  override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = PartialFunction.empty
}
