package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.core.clock.InputTime

/**
 * What a kind of stateful operator does to time. [[StatefulOperators]] lists all kinds, and finds
 * the kind of a node.
 *
 * The methods expect a node for which `is` holds, over a stream; its data is the first child.
 */
private[tidegate] trait TimedOperator {

  /** What the operator is called in names and messages. */
  def name: String

  /** Whether a logical node is such an operator. */
  def is(plan: LogicalPlan): Boolean

  /** Whether Spark plans the operator as this node. */
  def isPlannedAs(node: SparkPlan): Boolean

  /**
   * Whether the operator cannot work without this time; otherwise it ignores a time whose key it
   * does not get.
   */
  def isNeeded(operator: LogicalPlan, time: Attribute): Boolean = true

  /** The keys of the rows that leave the operator, and where the time of each comes from. */
  def passedOn(operator: LogicalPlan, times: KeyedTimes): Map[Byte, InputTime] =
    times.ofAll(operator.children)
}
