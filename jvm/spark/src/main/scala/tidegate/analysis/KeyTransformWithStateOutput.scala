package tidegate.analysis

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UpdateEventTimeWatermarkColumn}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.columns.EventTimeTag
import tidegate.plans.{KeyedOutput, KeyedWatermark}

/**
 * Lets `transformWithState` emit an event time column over a keyed watermark.
 *
 * Spark looks for its own watermark node below, and refuses the plan without one; its rule runs
 * before any resolution rule of an extension, so this rule runs with the hint rules.
 */
object KeyTransformWithStateOutput extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case u: UpdateEventTimeWatermarkColumn if u.delay.isEmpty => keyed(u)
  }

  /** The node with the key of the watermark that the operator below it runs on, if it has one. */
  def keyed(update: UpdateEventTimeWatermarkColumn): LogicalPlan = {
    val operator = update.child
    val keys = operator.children.headOption.toSeq.flatMap(_.output).flatMap(EventTimeTag.key(_))
    val nodes = operator.collect { case k: KeyedWatermark => k }
    nodes.find(n => keys.contains(n.spec.key)).orElse(nodes.headOption).fold[LogicalPlan](update) {
      node =>
        val lagMs = node.spec.policy.lagMs
        val delay = new CalendarInterval(0, 0, TimeUnit.MILLISECONDS.toMicros(lagMs))
        KeyedOutput(update.eventTime, node.spec.key, lagMs, update.copy(delay = Some(delay)))
    }
  }
}
