package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.EmitsEarlierRows

/** Notes which columns are nullable, before the optimizer looks at the rows of one batch. */
object KeepNullability extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case node: EmitsEarlierRows => node.noting
  }
}
