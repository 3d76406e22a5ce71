package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.clock.ClockTable
import tidegate.plans.KeyedWatermark

/**
 * Leaves exactly one clock in a plan: under the first watermark node; the others get an empty
 * relation. A clock for each node would put as many sources into the checkpoint, and a second
 * watermark could not be added later. Nodes over batch data are removed.
 */
object KeepOneClock extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[KeyedWatermark])) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        var found = false
        val streaming = plan.transformUp {
          case k: KeyedWatermark if !k.left.isStreaming => k.left
        }
        if (!isBeforeExecution(streaming)) streaming
        else
          streaming.transformDown {
            case k: KeyedWatermark if !found =>
              found = true
              if (ClockTable.isRelation(k.right)) k else k.copy(right = ClockTable.relation)
            case k: KeyedWatermark if ClockTable.isRelation(k.right) =>
              k.copy(right = LocalRelation(Nil, isStreaming = true))
          }
      }

  /**
   * Whether the plan is not yet the plan of a batch, which has an execution relation in place of
   * the clock.
   */
  def isBeforeExecution(plan: LogicalPlan): Boolean = plan.exists(ClockTable.isRelation)
}
