package tidegate.checks

import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Union}
import tidegate.errors.WatermarkErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.KeyedWatermark

/**
 * Refuses plans in which Spark's watermark and keyed watermarks meet: on one stream, in a union of
 * streams, or under one stateful operator. In a union, the output of a stateful operator may meet
 * anything.
 */
object CheckKeyedTime extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = if (plan.exists(_.isInstanceOf[KeyedWatermark])) {
    val whole = InlineCTE(alwaysInline = true)(plan)
    whole.foreach {
      case k: KeyedWatermark               => check(k.collect(watermark))
      case e: EventTimeWatermark           => check(e.collect(watermark))
      case u: Union                        => check(u.children.flatMap(raw))
      case o if StatefulOperators.isOne(o) => check(o.collect(watermark))
      case _                               => ()
    }
  }

  private val watermark: PartialFunction[LogicalPlan, LogicalPlan] = {
    case k: KeyedWatermark     => k
    case e: EventTimeWatermark => e
  }

  /** The watermarks of the rows themselves, before any stateful operator. */
  private def raw(plan: LogicalPlan): Seq[LogicalPlan] =
    if (StatefulOperators.isOne(plan)) Nil
    else watermark.lift(plan).toSeq ++ plan.children.flatMap(raw)

  private def check(watermarks: Seq[LogicalPlan]): Unit =
    for {
      keyed <- watermarks.collectFirst { case k: KeyedWatermark => k }
      spark <- watermarks.collectFirst { case e: EventTimeWatermark => e }
    } throw WatermarkErrors.mixedWatermarks(keyed.spec.name, spark.eventTime.name)
}
