package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import tidegate.TidegateErrors
import tidegate.plans.KeyedWatermark

/** Refuses plans in which Spark's watermark and keyed watermarks meet. */
object CheckKeyedTime extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    for {
      keyed <- plan.collectFirst { case k: KeyedWatermark => k }
      spark <- plan.collectFirst { case e: EventTimeWatermark => e }
    } throw TidegateErrors.mixedWatermarks(keyed.spec.name, spark.eventTime.name)
}
