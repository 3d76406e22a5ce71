package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.EventTimeTag
import tidegate.errors.WatermarkErrors

/** The columns with a watermark key that an operator may run on, and the choice among them. */
private[operators] object KeyedColumns {

  /** The keyed columns of an operator's input. */
  def keyed(operator: LogicalPlan): Seq[Attribute] =
    keyed(operator.children.head.output, operator)

  /** The keyed columns among those that an operator refers to. */
  def keyed(columns: Seq[Attribute], operator: LogicalPlan): Seq[Attribute] =
    keyed(columns, operator.children.head.output)

  /** A reference may have outdated metadata, so each column is taken from the input. */
  def keyed(columns: Seq[Attribute], input: Seq[Attribute]): Seq[Attribute] =
    columns
      .flatMap(c => input.find(_.exprId == c.exprId).orElse(Some(c)))
      .filter(a => EventTimeTag.key(a).isDefined && EventTimeTag.hasSparkTag(a))
      .distinct

  def only(candidates: Seq[Attribute]): Option[Attribute] =
    if (candidates.size == 1) candidates.headOption else None

  /**
   * Prefers a window to a plain time.
   *
   * @throws AnalysisException
   *   if two columns are equally good
   */
  def choose(
      operator: String,
      candidates: Seq[Attribute]
  ): Option[Attribute] = {
    val best = this.best(candidates)
    if (best.size > 1) throw WatermarkErrors.ambiguousEventTime(operator, best.map(_.name))
    best.headOption
  }

  /** Windows if there are any, or else plain times. */
  def best(candidates: Seq[Attribute]): Seq[Attribute] = {
    val windows = candidates.filter(EventTimeTag.closesWindow)
    if (windows.nonEmpty) windows else candidates
  }
}
