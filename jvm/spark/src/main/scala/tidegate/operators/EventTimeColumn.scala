package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.WatermarkErrors

/** How stateful operators choose the column that they run on. */
object EventTimeColumn {

  /** The column that an operator with one input runs on; see [[OneTimeOperator.time]]. */
  def of(operator: LogicalPlan): Option[Attribute] =
    OneTimeOperator.unapply(operator).flatMap { case (_, kind) => kind.time(operator) }

  /**
   * The column that an operator over Spark's own watermark runs on, if one of our window functions
   * made several tagged columns. Keys of the operator are preferred, and among them a column that
   * closes a window; otherwise the first column is chosen.
   */
  private[tidegate] def ofSpark(
      keys: Seq[Attribute],
      tagged: Seq[Attribute]
  ): Option[Attribute] = {
    val among = tagged.filter(t => keys.exists(_.exprId == t.exprId))
    val candidates = if (among.isEmpty) tagged else among
    if (tagged.size < 2 || !tagged.exists(WindowMark.of(_).isDefined)) None
    else candidates.find(EventTimeTag.closesWindow).orElse(candidates.headOption)
  }

  /** The keyed columns of an operator's input. */
  private[operators] def keyed(operator: LogicalPlan): Seq[Attribute] =
    keyed(operator.children.head.output, operator)

  /** The keyed columns among those that an operator refers to. */
  private[operators] def keyed(columns: Seq[Attribute], operator: LogicalPlan): Seq[Attribute] =
    keyed(columns, operator.children.head.output)

  /** A reference may have outdated metadata, so each column is taken from the input. */
  private[operators] def keyed(columns: Seq[Attribute], input: Seq[Attribute]): Seq[Attribute] =
    columns
      .flatMap(c => input.find(_.exprId == c.exprId).orElse(Some(c)))
      .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.hasSparkTag(a))
      .distinct

  private[operators] def only(candidates: Seq[Attribute]): Option[Attribute] =
    if (candidates.size == 1) candidates.headOption else None

  /** Prefers a window to a plain time. */
  private[operators] def choose(
      operator: String,
      candidates: Seq[Attribute]
  ): Option[Attribute] = {
    val windows = candidates.filter(EventTimeTag.closesWindow)
    val best = if (windows.nonEmpty) windows else candidates
    if (best.size > 1) throw WatermarkErrors.ambiguousEventTime(operator, best.map(_.name))
    best.headOption
  }
}
