package tidegate.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Rows with session windows that are not merged yet, in columns that only an aggregation can fill.
 *
 * @param keys
 *   the columns of `PARTITION BY`
 * @param globalKey
 *   the key in its place where Spark needs one
 * @param visible
 *   the columns of the table that are passed on
 * @param columns
 *   start, end and time of the window
 */
private[tidegate] final case class SessionWindows(
    child: LogicalPlan,
    keys: Seq[Attribute],
    globalKey: Option[Attribute],
    visible: Seq[Attribute],
    columns: Seq[Attribute]
) extends UnaryNode {

  override def output: Seq[Attribute] = visible ++ columns

  /** Spark's session window of each single row: the last column of the child. */
  def session: Attribute = child.output.last

  override def producedAttributes: AttributeSet = AttributeSet(columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): SessionWindows =
    copy(child = newChild)
}

private[tidegate] object SessionWindows {

  /** Whether an aggregation is grouped by a session window. */
  def areIn(aggregate: Aggregate): Boolean = aggregate.groupingExpressions.exists {
    case key: Attribute => key.metadata.contains(SessionWindow.marker)
    case _              => false
  }
}
