package tidegate.operators

import scala.annotation.unused

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.EventTimeTag
import tidegate.core.clock.{InputTime, OperatorBatch}

/** The watermark keys that the rows of plans carry, and where the time of each comes from. */
private[tidegate] trait TimesByKey {

  def of(plan: LogicalPlan): Map[Byte, InputTime]

  /** The keys that at least one of the plans has. */
  final def ofAll(plans: Seq[LogicalPlan]): Map[Byte, InputTime] =
    plans.map(of).foldLeft(Map.empty[Byte, InputTime])(_ ++ _)

  /** The key of a column, if the plan has it, and no other key. */
  final def onlyKeyOf(column: Option[Attribute], plan: LogicalPlan): Map[Byte, InputTime] = {
    val key = column.flatMap(EventTimeTag.key)
    of(plan).filter { case (k, _) => key.contains(k) }
  }
}

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
  def passedOn(operator: LogicalPlan, times: TimesByKey): Map[Byte, InputTime] =
    times.ofAll(operator.children)
}

/** A stateful operator with one input, whose rows may be late. */
private[tidegate] trait OneInputOperator extends TimedOperator {

  /**
   * The keyed column that the operator runs on. Keys of the operator are preferred to other columns
   * of its input, and windows to plain times. `None` if the input has no keyed column.
   *
   * @throws AnalysisException
   *   if two columns are equally good
   */
  def time(operator: LogicalPlan): Option[Attribute]

  /** Whether the operator looks at event time. */
  def usesEventTime(@unused operator: LogicalPlan): Boolean = true

  /** The columns among the operator's keys. */
  def keys(operator: LogicalPlan): Seq[Attribute] = Nil

  /** The columns of the input that reach the state. */
  def inState(operator: LogicalPlan): Seq[Attribute] = operator.children.head.output

  /** Whether late rows are dropped in an output mode. */
  def dropsLate(mode: OutputMode): Boolean = true

  /** The lowest watermark, in epoch ms. */
  def lowestMs: Long = OperatorBatch.NothingLate

  /** The operator with its name in the query, if its node has a field for the name. */
  def named(operator: LogicalPlan, @unused name: String): LogicalPlan = operator

  /**
   * Replaces Spark's watermarks in the nodes that Spark plans for the operator. These nodes never
   * drop late rows: a `DropLate` below them already has.
   */
  def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan]

  final override def isPlannedAs(node: SparkPlan): Boolean = bound.isDefinedAt(node)
}
