package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.columns.EventTimeTag

/**
 * Adds the watermark key of the input to the event time column that `transformWithState` was asked
 * to emit; Spark itself adds only its own tag.
 */
final case class KeyedOutput(eventTime: Attribute, key: Byte, lagMs: Long, child: LogicalPlan)
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output.map { a =>
    if (eventTime.resolved && a.exprId == eventTime.exprId) EventTimeTag.add(a, key, lagMs) else a
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): KeyedOutput =
    copy(child = newChild)
}
