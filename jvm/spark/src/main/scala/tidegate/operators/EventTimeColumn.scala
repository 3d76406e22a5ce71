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
   * The column that an operator over Spark's own watermark runs on, if a window function of ours
   * has put several there: among its keys the end of the window, else the first.
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

  /** Of columns that an operator refers to, the keyed ones. */
  private[operators] def keyed(columns: Seq[Attribute], operator: LogicalPlan): Seq[Attribute] =
    keyed(columns, operator.children.head.output)

  /** A reference may have the metadata of before: that of the input holds. */
  private[operators] def keyed(columns: Seq[Attribute], input: Seq[Attribute]): Seq[Attribute] =
    columns
      .flatMap(c => input.find(_.exprId == c.exprId).orElse(Some(c)))
      .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.hasSparkTag(a))
      .distinct

  private[operators] def only(candidates: Seq[Attribute]): Option[Attribute] =
    if (candidates.size == 1) candidates.headOption else None

  /** A window before a plain time. */
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
