package tidegate.plans

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}

/**
 * The watermarks of streaming queries, as they are when the plan is first executed.
 *
 * @param query
 *   a name or an id; none for all queries of the session that run
 */
final case class WatermarksTable(query: Option[String], output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** Some figures for some thousands of substreams. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1 << 20)

  override protected def stringArgs: Iterator[Any] = query.iterator
}
