package tidegate.sql.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.tidegate.TableFunctionAstBuilder
import tidegate.sql.EventTimeCall

/**
 * Turns each call of one of our table functions into an `EventTimeCall` as soon as Spark builds the
 * call: in a finished plan, calls in commands, in common table expressions and behind `IDENTIFIER`
 * would be out of reach.
 */
private[parser] class EventTimeAstBuilder extends TableFunctionAstBuilder {

  override protected def claim(
      call: UnresolvedTableValuedFunction,
      isStream: Boolean
  ): Option[LogicalPlan] = EventTimeCall.claim(call, isStream)
}
