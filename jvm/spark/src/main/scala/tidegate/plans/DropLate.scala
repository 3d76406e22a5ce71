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
 * Where the windows of an operator begin.
 *
 * @param slideMs from one window to the next, in ms
 * @param offsetMs from the epoch to the first window, in ms
 */
final case class WindowGrid(slideMs: Long, offsetMs: Long)

/**
 * Drops the rows that are late for one stateful operator, and counts them; it is the only place
 * where rows are dropped as late.
 *
 * @param time the column that the operator runs on: a time, late if it is below the watermark, or
 *   a window, late if its end is not above the watermark
 * @param operator the name of the operator, unique in the plan
 * @param grid where the windows begin, if `time` is a window of a known grid
 * @param eventTime the column that the windows were made of, if it is still there
 */
final case class DropLate(
    child: LogicalPlan,
    time: Attribute,
    key: Byte,
    operator: String,
    input: InputTime,
    grid: Option[WindowGrid],
    eventTime: Option[Attribute])
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): DropLate =
    copy(child = newChild)
}
