package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * The plan of a streaming query that nobody has started, as `EXPLAIN` and `df.explain()` show it.
 *
 * @param joins
 *   the names of the joins that our own operator would make in a new query
 */
final case class ExplainedQuery(joins: Set[String], child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: LogicalPlan): ExplainedQuery =
    copy(child = newChild)
}
