package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Where the watermark of an operator comes from. */
sealed trait InputTime {

  /** The names of the watermark nodes that it is made of. */
  def nodes: Seq[String]
}

/** The watermark of one node. */
final case class NodeTime(name: String) extends InputTime {
  override def nodes: Seq[String] = Seq(name)
}

/** The minimum over the inputs that are not idle. */
final case class CoalescedTime(inputs: Seq[InputTime]) extends InputTime {
  override def nodes: Seq[String] = inputs.flatMap(_.nodes)
}

/**
 * The window column that an operator runs on.
 *
 * @param slideMs the slide of the windows, in ms
 * @param offsetMs where the windows begin, in ms after the epoch
 * @param eventTime the column that the windows were made of
 */
final case class WindowGrid(slideMs: Long, offsetMs: Long, eventTime: Attribute)

/**
 * Drops the rows that are late for one stateful operator, and counts them; it is the only place
 * where rows are dropped as late.
 *
 * @param time the column that the operator runs on: a time, late if it is below the watermark, or
 *   a window, late if its end is not above the watermark
 * @param operator the name of the operator, unique in the plan
 * @param grid how the windows were made, if `time` is a window and that is known
 */
final case class DropLate(
    child: LogicalPlan,
    time: Attribute,
    key: Byte,
    operator: String,
    input: InputTime,
    grid: Option[WindowGrid])
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): DropLate =
    copy(child = newChild)
}
