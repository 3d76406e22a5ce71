package tidegate.checks

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.plans.KeyedWatermark

/**
 * Lets Spark check a DataFrame with keyed watermarks before it does so itself: it would append the
 * plan to its sentence, in which a user would find the clock.
 *
 * @param refusal
 *   the error of Spark's checks of a plan, without the plan
 */
final case class RefuseWithoutPlan(refusal: LogicalPlan => Option[AnalysisException])
    extends Rule[LogicalPlan] {

  /** What no later rule of the analysis cures, such as names that are not found. */
  private val Final = Seq(
    "UNRESOLVED_",
    "TABLE_OR_VIEW_NOT_FOUND",
    "DATATYPE_MISMATCH",
    "MISSING_AGGREGATION",
    "MISSING_GROUP_BY",
    "NUM_COLUMNS_MISMATCH",
    "INCOMPATIBLE_COLUMN_TYPE",
    "INVALID_WHERE_CONDITION",
    "GROUP_BY_AGGREGATE",
    "NESTED_AGGREGATE_FUNCTION"
  )

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val isWhole = AnalysisContext.get.nestedViewDepth == 0 && AnalysisContext.get.outerPlan.isEmpty
    if (isWhole && plan.exists(_.isInstanceOf[KeyedWatermark]))
      refusal(plan).filter(isFinal).foreach(throw _)
    plan
  }

  private def isFinal(error: AnalysisException): Boolean =
    Option(error.getCondition).exists(condition => Final.exists(condition.startsWith))
}
