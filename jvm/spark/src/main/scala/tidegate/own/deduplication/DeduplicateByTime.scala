package tidegate.own.deduplication

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.plans.OwnNode

/**
 * Passes the first of the rows with equal keys. A key is kept until a time of its own, and found by
 * this time when it has come.
 *
 * @param eventTime
 *   the column that the operator runs on: a time, or a window whose end is the time
 * @param retentionMs
 *   how long after the time of its first row a key is kept. None if the time is one of the keys:
 *   then a key is kept until its rows are late
 * @param isInclusive
 *   whether a time at the watermark has passed
 * @param operator
 *   the name of the operator whose watermark lets keys leave
 */
final case class DeduplicateByTime(
    keys: Seq[Attribute],
    eventTime: Attribute,
    retentionMs: Option[Long],
    isInclusive: Boolean,
    operator: String,
    child: LogicalPlan
) extends UnaryNode
    with OwnNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): DeduplicateByTime =
    copy(child = newChild)
}

object DeduplicateByTime {

  /** The name of the operator in the progress of a query, and in the metadata of its state. */
  val StateName: String = "deduplicateByTime"
}
