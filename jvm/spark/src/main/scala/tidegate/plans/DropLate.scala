package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.core.clock.InputTime
import tidegate.core.window.WindowGrid

/**
 * Drops the rows that are late for one stateful operator, and counts them; it is the only place
 * where rows are dropped as late.
 *
 * @param time
 *   the column that the operator runs on: a time, late if it is below the watermark, or a window,
 *   late if its end is not above the watermark; or, with a grid, a time that is not in its windows
 *   yet, late if the last of them is
 * @param operator
 *   the name of what drops the rows, unique in the plan: that of the operator; of a join, of one
 *   side
 * @param owner
 *   the operator itself: both sides of a join have one
 * @param input
 *   the watermark of the rows: it decides which are late
 * @param eviction
 *   the watermark of the operator's state: it decides which rows leave it. That of the rows, but in
 *   a join what the bounds make of the other side's; `None` if there are no bounds
 * @param grid
 *   where the windows begin, if `time` is a window of a known grid, or will be put into one
 * @param eventTime
 *   the column that the windows were made of, if it is still there
 * @param lowestMs
 *   what is late before there is a watermark, and never less: times below it, in epoch ms. Spark's
 *   operators begin at the epoch
 * @param stateId
 *   the number under which an operator of ours has its state; it names a folder of the checkpoint
 */
final case class DropLate(
    child: LogicalPlan,
    time: Attribute,
    key: Byte,
    operator: String,
    owner: OperatorName,
    input: InputTime,
    eviction: Option[InputTime],
    grid: Option[WindowGrid],
    eventTime: Option[Attribute],
    lowestMs: Long = 0L,
    stateId: Long = DropLate.FirstStateId
) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def withNewChildInternal(newChild: LogicalPlan): DropLate =
    copy(child = newChild)
}

object DropLate {

  /** As the lowest watermark: no time is before it, also when it is multiplied by 1000. */
  val NothingLate: Long = Long.MinValue / 1000

  /** The first number of a state of ours: far from those that Spark counts. */
  val FirstStateId: Long = 1000L
}
