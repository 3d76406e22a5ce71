package tidegate.operators

import org.apache.spark.sql.catalyst.plans.logical.{GlobalLimit, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.StreamingGlobalLimitExec

/** Limits: their state is a number of rows, without a time. */
private[tidegate] object LimitOperator extends TimedOperator {

  override val name: String = "limit"

  override def is(plan: LogicalPlan): Boolean = plan.isInstanceOf[GlobalLimit]

  override def isPlannedAs(node: SparkPlan): Boolean = node.isInstanceOf[StreamingGlobalLimitExec]
}
