package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.plans.TimedNode

/**
 * Event-time order: our own operator. It is planned with its watermarks, so there is nothing to
 * bind.
 */
private[tidegate] object OrderByEventTime extends OneInputOperator {

  override val name: String = "orderByEventTime"

  override def is(plan: LogicalPlan): Boolean = plan match {
    case node: TimedNode => node.kind == name
    case _               => false
  }

  override def time(operator: LogicalPlan): Option[Attribute] =
    KeyedColumns
      .keyed(Seq(operator.asInstanceOf[TimedNode].eventTime), operator)
      .headOption

  override def named(operator: LogicalPlan, name: String): LogicalPlan =
    operator.asInstanceOf[TimedNode].named(name)

  override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = PartialFunction.empty
}
