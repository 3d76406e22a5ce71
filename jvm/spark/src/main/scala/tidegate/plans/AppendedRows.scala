package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}

/**
 * The part of a query in output mode update whose operators emit their rows once. A leaf, so that
 * Spark checks the part above in the output mode of the query, and does not look into this one. The
 * node is gone when the query has started.
 */
final case class AppendedRows(rows: LogicalPlan) extends LeafNode {

  override def output: Seq[Attribute] = rows.output

  override def isStreaming: Boolean = rows.isStreaming

  override def computeStats(): Statistics = rows.stats

  override def innerChildren: Seq[LogicalPlan] = Seq(rows)
}
