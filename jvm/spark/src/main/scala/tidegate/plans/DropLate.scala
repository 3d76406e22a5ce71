package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import tidegate.core.clock.{InputTime, OperatorBatch}
import tidegate.core.window.WindowGrid

/**
 * Drops the rows that are late for one stateful operator, and counts them; it is the only place
 * where rows are dropped as late.
 *
 * @param time
 *   the column that the operator runs on. A time is late if it is below the watermark, a window if
 *   its end is not above the watermark. With a grid, a time that is not yet in its windows is late
 *   if the last of them is
 * @param operator
 *   the name under which rows are dropped, unique in the plan: the name of the operator, or of one
 *   side of a join
 * @param owner
 *   the operator itself: both sides of a join have the same owner
 * @param input
 *   the watermark of the rows: it decides which are late
 * @param eviction
 *   the watermark of the operator's state: it decides which rows leave the state. Equal to `input`,
 *   except in a join, where the bounds derive it from the watermark of the other side; `None` if
 *   there are no bounds
 * @param grid
 *   where the windows begin, if `time` is a window of a known grid, or will be put into one
 * @param eventTime
 *   the column that the windows were made from, if it is still there
 * @param lowestMs
 *   the lowest value of the watermark, in epoch ms: times below it are late even before there is a
 *   watermark. The functions that keep state begin at the epoch
 * @param isPlain
 *   whether `time` has no watermark of its own. It equals a keyed time of the other side of a join,
 *   whose watermark evicts its rows but drops none as late
 * @param stateId
 *   the number under which one of our own operators keeps its state; it names a folder of the
 *   checkpoint
 * @param substream
 *   the columns that name the substream of a row, for the log; none if the rows do not have them
 * @param isInclusive
 *   whether a time at the watermark is late too, as in Spark
 * @param lateRows
 *   the folder to which the dropped rows go; `None` if they are only counted
 * @param whole
 *   the columns of a dropped row as it came, which must not be pruned; empty without a folder
 * @param nullable
 *   the columns of the child that were nullable before the plan was optimized, as of
 *   [[EmitsEarlierRows]]; empty in front of an operator of Spark's
 * @param appends
 *   whether the operator emits its rows once, although the output mode of the query is update
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
    lowestMs: Long = OperatorBatch.NothingLate,
    isPlain: Boolean = false,
    stateId: Long = DropLate.FirstStateId,
    substream: Option[Seq[Attribute]] = None,
    isInclusive: Boolean = false,
    lateRows: Option[String] = None,
    whole: Seq[Attribute] = Nil,
    nullable: Set[ExprId] = Set.empty,
    appends: Boolean = false
) extends UnaryNode {

  override def output: Seq[Attribute] = EmitsEarlierRows.restored(child.output, nullable)

  /**
   * The same node, with the columns that are nullable now. Functions and conditions of the operator
   * are then the same in each batch, and so are the columns that its state has.
   */
  def noting: DropLate = copy(nullable = EmitsEarlierRows.nullableOf(child))

  /** The same on rows that are not in their windows yet. */
  def before(rows: LogicalPlan, time: Attribute, windows: WindowGrid): DropLate = copy(
    child = rows,
    time = time,
    grid = Some(windows),
    eventTime = None,
    substream = substream.filter(_.forall(rows.outputSet.contains)),
    whole = whole.filter(rows.outputSet.contains)
  )

  /** In place of the fields, most of which are about the plan alone. */
  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](operator, time, s"key=$key", s"watermark=$input") ++
      eviction.filter(_ != input).map(e => s"eviction=$e") ++ grid

  override protected def withNewChildInternal(newChild: LogicalPlan): DropLate =
    copy(child = newChild)
}

object DropLate {

  /**
   * The first number of the states of our own operators: far above the numbers that Spark gives
   * out.
   */
  val FirstStateId: Long = 1000L

  /**
   * The lowest watermark of windows, in epoch ms: 146,000 years before the epoch. So far from the
   * lowest of times, sums with the size of a window do not overflow.
   */
  val LowestMs: Long = OperatorBatch.NothingLate / 2
}
