package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.BoundsFollow

/**
 * Replaces the hint with a `BoundsFollow` node. The hint only postpones a check: where it is
 * unknown, the worst that happens is an error.
 */
private[tidegate] object ResolveBoundsFollow extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedHint(name, _, join) if name.equalsIgnoreCase(BoundsFollow.Hint) =>
      BoundsFollow(join)
  }
}
