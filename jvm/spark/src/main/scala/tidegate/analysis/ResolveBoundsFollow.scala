package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.BoundsFollow

/**
 * Puts a node in the place of the hint that says so. The hint only holds a check back: where it is
 * not known, nothing but an error comes of it.
 */
private[tidegate] object ResolveBoundsFollow extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedHint(name, _, join) if name.equalsIgnoreCase(BoundsFollow.Hint) =>
      BoundsFollow(join)
  }
}
