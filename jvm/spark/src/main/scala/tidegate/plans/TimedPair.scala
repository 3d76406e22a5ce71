package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.BinaryNode

/** A node of ours with two inputs: it keeps rows of both by their times. */
trait TimedPair extends BinaryNode {

  /** What the operator is called. */
  def kind: String

  def leftTime: Attribute

  def rightTime: Attribute

  /** The same node, as an operator of a query. */
  def named(owner: OperatorName): TimedPair
}
