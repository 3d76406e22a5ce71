package tidegate.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_TABLE_VALUED_FUNCTION

/**
 * Claims the calls that the parser does not recognize: calls whose name is an `IDENTIFIER(...)`,
 * and calls with one of our names but without a `DESCRIPTOR`, if there is no function of that name.
 */
private[tidegate] final case class ClaimLateCalls(isFunction: Seq[String] => Boolean)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(UNRESOLVED_TABLE_VALUED_FUNCTION)) {
      case call: UnresolvedTableValuedFunction =>
        EventTimeCall
          .claim(call, call.isStreaming)
          .orElse(
            EventTimeCall
              .functionOf(call)
              .filterNot(_ => isFunction(call.name))
              .map(EventTimeCall.of(_, call, call.isStreaming))
          )
          .getOrElse(call)
    }
}
