package tidegate.checks

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.tidegate.NotForRealTime
import tidegate.errors.QueryErrors
import tidegate.plans.KeyedWatermark

/**
 * Refuses real-time mode over a keyed watermark, in every output mode. Without this check Spark
 * advises output mode update first, and the clock refuses that too.
 */
object CheckRealTimeMode extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if NotForRealTime.isAsked(w) &&
            KeyedWatermark.isIn(w.inputQuery) =>
        throw QueryErrors.realTimeMode()
      case _ => ()
    }
    plan
  }
}
