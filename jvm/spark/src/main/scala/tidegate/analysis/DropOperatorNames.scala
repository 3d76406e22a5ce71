package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.NamedOperator

/** Removes names before the optimizer, where no query starts: from batches, and from `EXPLAIN`. */
private[tidegate] object DropOperatorNames extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case NamedOperator(_, child) => child
  }
}
