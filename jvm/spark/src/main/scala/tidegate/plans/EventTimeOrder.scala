package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Holds the rows of a stream until the watermark has passed them, and puts them out by their event
 * time; rows without a time pass at once.
 *
 * @param partitionBy
 *   what the rows are shuffled by: those of equal values come out in order; none: all rows do
 * @param eventTime
 *   a time, or the window whose end is the time
 * @param operator
 *   the name of the operator whose watermark lets rows go; none if the query has not started
 */
final case class EventTimeOrder(
    partitionBy: Seq[Attribute],
    eventTime: Attribute,
    operator: Option[String],
    child: LogicalPlan
) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  /** None of the child's: what is true of the rows of this batch need not be of those before. */
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet()

  override protected def withNewChildInternal(newChild: LogicalPlan): EventTimeOrder =
    copy(child = newChild)
}

object EventTimeOrder {

  /** The name of the operator in a query, in its progress, and in the metadata of its state. */
  val StateName: String = "orderByEventTime"
}
