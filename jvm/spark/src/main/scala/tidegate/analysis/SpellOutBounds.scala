package tidegate.analysis

import org.apache.spark.sql.catalyst.analysis.StreamingJoinHelper
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import tidegate.columns.EventTimeTag
import tidegate.operators.{JoinBound, JoinBounds, StreamJoin}
import tidegate.plans.KeyedWatermark

/**
 * Adds bounds to the conditions of joins where Spark's own check asks for one and cannot read what
 * the user wrote, such as `l.time = r.time + interval 1 second`, a difference of times, or equality
 * of the fields of windows. The bounds follow from the condition, so the result is the same.
 */
object SpellOutBounds extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[KeyedWatermark])) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        plan.transformUp {
          case j: Join
              if StreamJoin.is(j) && !j.joinType.isInstanceOf[InnerLike] && j.resolved &&
                !StreamingJoinHelper.isWatermarkInJoinKeys(j) =>
            JoinBounds.and(
              j,
              JoinBounds.equalWindows(j) ++
                JoinBounds.of(j).filterNot(readBySpark(j, _)).map(_.condition(timeZone))
            )
        }
      }

  private def timeZone: String = conf.sessionLocalTimeZone

  private def readBySpark(join: Join, bound: JoinBound): Boolean =
    EventTimeTag.isWindow(bound.setBy) || bound.setBy == bound.limited || StreamingJoinHelper
      .getStateValueWatermark(
        AttributeSet(bound.limited),
        AttributeSet(bound.setBy),
        join.condition,
        Some(0L)
      )
      .isDefined
}
