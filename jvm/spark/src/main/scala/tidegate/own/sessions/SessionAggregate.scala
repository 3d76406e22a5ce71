package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.core.figures.Words
import tidegate.plans.{EmitsEarlierRows, OwnNode}

/**
 * Merges parts of sessions. Below it is an aggregation by the keys and a frame as long as the gap:
 * rows of a key in one frame are always in one session. This node emits the same columns for whole
 * sessions, without the frame.
 *
 * @param start
 *   the column below with the first time of a part, in µs; in the output, of a session
 * @param end
 *   the column below with the end of a part, in µs: the last time and the gap; in the output, of a
 *   session
 * @param frame
 *   the key of the aggregation below that is the frame
 * @param operator
 *   the name of the operator whose watermark closes the sessions; none if the query has not started
 */
final case class SessionAggregate(
    start: Attribute,
    end: Attribute,
    frame: Attribute,
    gapMicros: Long,
    operator: Option[String],
    child: LogicalPlan,
    nullable: Set[ExprId] = Set.empty
) extends EmitsEarlierRows
    with OwnNode {

  override def output: Seq[Attribute] = childOutput.filterNot(_.exprId == frame.exprId)

  override protected def withNullable(columns: Set[ExprId]): LogicalPlan = copy(nullable = columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): SessionAggregate =
    copy(child = newChild)
}

object SessionAggregate {

  /** The name of the operator in the progress of a query, and in the metadata of its state. */
  val StateName: String = "sessionAggregate"

  /** Sessions in words. */
  def described(gapMicros: Long): String =
    if (gapMicros % 1000 == 0) s"sessions with a gap of ${Words.exactly(gapMicros / 1000)}"
    else s"sessions with a gap of $gapMicros µs"
}
