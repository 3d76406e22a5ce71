package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.operators.StatefulOperators.OneInput

/** How stateful operators choose the column that they run on. */
object EventTimeColumn {

  /** The column that an operator with one input runs on; see [[OneInputOperator.time]]. */
  def of(operator: LogicalPlan): Option[Attribute] =
    OneInput.unapply(operator).flatMap { case (_, kind) => kind.time(operator) }

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
}
