package tidegate.sql.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.tidegate.TableFunctionAstBuilder
import tidegate.sql.EventTimeCall

/**
 * Makes an `EventTimeCall` of each call of a table function of ours, as soon as it is built: in a
 * finished plan they would be out of reach, in commands, in common table expressions and behind
 * `IDENTIFIER`.
 */
private[parser] class EventTimeAstBuilder extends TableFunctionAstBuilder {

  override protected def claim(
      call: UnresolvedTableValuedFunction,
      isStream: Boolean
  ): Option[LogicalPlan] = EventTimeCall.claim(call, isStream)
}
