package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  BinaryNode,
  CTERelationRef,
  LogicalPlan,
  Statistics
}
import tidegate.columns.{EventTimeTag, WindowMark}

/**
 * Gives the event time column of `left` a watermark of its own.
 *
 * The rows of `left` pass unchanged. `right` is the query's clock, a source without columns: one
 * node of a plan has it, the others have an empty relation in its place.
 *
 * @param ingestionTime
 *   the column with the times at which rows were appended to their substreams, if these times move
 *   the watermark instead of event times
 * @param movedBy
 *   the rows whose times move the watermark, if not those of all rows do
 */
final case class KeyedWatermark(
    left: LogicalPlan,
    right: LogicalPlan,
    eventTime: Attribute,
    substream: Seq[Attribute],
    spec: WatermarkSpec,
    ingestionTime: Option[Attribute] = None,
    movedBy: Option[Expression] = None
) extends BinaryNode {

  /** The column whose times move the watermark. */
  def observed: Attribute = ingestionTime.getOrElse(eventTime)

  override lazy val output: Seq[Attribute] = left.output.map { a =>
    if (a.exprId != eventTime.exprId) a
    else {
      val time = a.withMetadata(WindowMark.removed(a.metadata))
      EventTimeTag.add(time, spec.key, spec.policy.lagMs)
    }
  }

  /** The time column and its key come first, in `EXPLAIN` too. */
  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](eventTime, s"key=${spec.key}", s"name=${spec.name}", spec.policy) ++
      (if (substream.isEmpty) None else Some(substream.mkString("substream=[", ", ", "]"))) ++
      ingestionTime.map(a => s"ingestionTime=$a") ++ movedBy.map(p => s"movedBy=$p")

  override def maxRows: Option[Long] = left.maxRows

  override def stats: Statistics = left.stats

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): KeyedWatermark =
    copy(left = newLeft, right = newRight)
}

object KeyedWatermark {

  /** Whether a part of a query has a watermark, or reads one by the name that a `WITH` gives it. */
  private[tidegate] def isIn(plan: LogicalPlan): Boolean = plan.exists {
    case _: KeyedWatermark => true
    case a: AppendedRows   => isIn(a.rows)
    case c: CTERelationRef => c.output.exists(EventTimeTag.key(_).isDefined)
    case _                 => false
  }
}
