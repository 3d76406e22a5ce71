package tidegate.plans

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}

/**
 * What streaming queries tell of their time, as it is when the plan is first executed.
 *
 * @param query
 *   a name or an id; none for all queries of the session that run
 */
final case class SightTable(what: SightTable.What, query: Option[String], output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  /** Some figures for some thousands of batches. */
  override def computeStats(): Statistics = Statistics(sizeInBytes = 1 << 20)

  override protected def stringArgs: Iterator[Any] = Iterator(what) ++ query
}

object SightTable {

  /** What a table has. */
  sealed trait What

  /** What the last batches did to time. */
  final case class Progress(last: Int) extends What {
    override def toString: String = "progress"
  }

  /** The explanation, line by line. */
  case object Explanation extends What {
    override def toString: String = "explanation"
  }
}
