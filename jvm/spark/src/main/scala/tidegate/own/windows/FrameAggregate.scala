package tidegate.own.windows

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import tidegate.core.window.WindowGrid
import tidegate.plans.{EmitsEarlierRows, OwnNode}

/**
 * Puts windows together from frames. Below it is an aggregation over frames, where each row is in
 * one frame; this node emits the same columns for windows.
 *
 * @param frame
 *   the key of the aggregation below that is the start of a frame, in µs; in the output, the frame
 *   that names a window: its first, or its last if windows grow
 * @param operator
 *   the name of the operator whose watermark closes the windows; none if the query has not started
 * @param isShort
 *   whether the state has short rows, which are for windows that do not overlap
 */
final case class FrameAggregate(
    frame: Attribute,
    grid: WindowGrid,
    operator: Option[String],
    isShort: Boolean,
    child: LogicalPlan,
    nullable: Set[ExprId] = Set.empty
) extends EmitsEarlierRows
    with OwnNode {

  override def output: Seq[Attribute] = childOutput

  override protected def withNullable(columns: Set[ExprId]): LogicalPlan = copy(nullable = columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): FrameAggregate =
    copy(child = newChild)
}

object FrameAggregate {

  /** The name of the operator in the progress of a query, and in the metadata of its state. */
  val StateName: String = "frameAggregate"

  /**
   * The first column of a short row of the state; no other row begins with a column of this name.
   */
  val FirstOfShortRow: String = "frame_end"

  /** Whether rows of the state with this schema are short. */
  def hasShortRows(value: StructType): Boolean =
    value.fieldNames.headOption.contains(FirstOfShortRow)
}
