package tidegate.checks

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  SessionWindow,
  TimeWindow,
  WindowTime
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.errors.JoinErrors
import tidegate.plans.KeyedWatermark

/**
 * Refuses windows that are made in the condition of a join. Spark makes them only of the rows of
 * one table, and takes the join for an error of its own.
 */
object CheckWindowsInConditions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case j: Join if !j.resolved && j.exists(_.isInstanceOf[KeyedWatermark]) =>
        for {
          condition <- j.condition
          (call, function) <- windowCall(condition)
          if call.children.forall(_.resolved)
          column <- call.references.headOption
        } CurrentOrigin.withOrigin(call.origin)(throw refusal(j, function, column))
      case _ => ()
    }
    plan
  }

  private def windowCall(condition: Expression): Option[(Expression, String)] =
    condition.collectFirst {
      case w: TimeWindow    => w -> "window"
      case w: SessionWindow => w -> "session_window"
      case w: WindowTime    => w -> "window_time"
    }

  private def refusal(join: Join, function: String, column: Attribute) = {
    val side = if (join.left.outputSet.contains(column)) "left" else "right"
    JoinErrors.windowInCondition(join.joinType.sql, function, column.name, side)
  }
}
