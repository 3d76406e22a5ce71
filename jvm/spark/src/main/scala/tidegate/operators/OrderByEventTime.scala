package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.core.clock.InputTime
import tidegate.plans.TimedNode

/**
 * Our own operators whose rows leave in the order of their time, when the watermark has passed
 * them. They are planned with their watermarks, so there is nothing to bind. Other times of the
 * rows do not pass: their watermarks may have passed a row long before it leaves.
 */
private[tidegate] sealed abstract class InOrder(override val name: String)
    extends OneInputOperator {

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

  override def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] = {
    val (rows, chosen) = (operator.children.head, time(operator))
    if (chosen.forall(AsLate.areAll(rows, _))) times.onlyKeyOf(chosen, rows) else Map.empty
  }

  override def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan] = PartialFunction.empty
}

/** Event-time order. */
private[tidegate] object OrderByEventTime extends InOrder("orderByEventTime")

/** Functions over the rows before a row. */
private[tidegate] object OverByEventTime extends InOrder("over")
