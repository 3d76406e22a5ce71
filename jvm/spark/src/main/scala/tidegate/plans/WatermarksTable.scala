package tidegate.plans

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}

/**
 * Figures of streaming queries, as they are when the plan is first executed.
 *
 * @param query
 *   a name or an id; none for all queries of the session that run
 */
final case class WatermarksTable(
    content: WatermarksTable.Content,
    query: Option[String],
    output: Seq[Attribute]
) extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** Some figures for some thousands of substreams or batches. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1 << 20)

  override protected def stringArgs: Iterator[Any] = Iterator(content) ++ query
}

object WatermarksTable {

  /** What a table has. */
  sealed abstract class Content(override val toString: String) extends Serializable

  /** The watermarks of now. */
  case object Watermarks extends Content("watermarks")

  /** The watermarks at the end of the last batches. */
  final case class Progress(last: Int) extends Content("progress")

  /** The explanation, line by line. */
  case object Explanation extends Content("explanation")
}
