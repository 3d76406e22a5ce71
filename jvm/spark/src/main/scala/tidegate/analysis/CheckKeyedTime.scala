package tidegate.analysis

import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import tidegate.TidegateErrors
import tidegate.plans.{KeyedWatermark, StatefulOperators}

/**
 * Refuses plans in which Spark's watermark and keyed watermarks meet: on one stream, or under one
 * stateful operator.
 */
object CheckKeyedTime extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = if (plan.exists(_.isInstanceOf[KeyedWatermark])) {
    val whole = InlineCTE(alwaysInline = true)(plan)
    whole.foreach {
      case k: KeyedWatermark                                      => check(k)
      case e: EventTimeWatermark                                  => check(e)
      case operator if StatefulOperators.name(operator).isDefined => check(operator)
      case _                                                      => ()
    }
  }

  private def check(plan: LogicalPlan): Unit =
    for {
      keyed <- plan.collectFirst { case k: KeyedWatermark => k }
      spark <- plan.collectFirst { case e: EventTimeWatermark => e }
    } throw TidegateErrors.mixedWatermarks(keyed.spec.name, spark.eventTime.name)
}
