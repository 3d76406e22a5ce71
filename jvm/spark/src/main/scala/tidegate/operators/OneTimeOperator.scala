package tidegate.operators

import scala.annotation.unused

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode
import tidegate.core.clock.OperatorBatch

/** A stateful operator with one input, whose rows may be late. */
private[tidegate] trait OneTimeOperator extends TimedOperator {

  /**
   * The keyed column that the operator runs on. Keys of the operator are preferred to other columns
   * of its input, and windows to plain times. `None` if the input has no keyed column.
   *
   * @throws AnalysisException
   *   if two columns are equally good
   */
  def time(operator: LogicalPlan): Option[Attribute]

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

private[tidegate] object OneTimeOperator {

  /** A logical node that is such an operator, and which one. */
  def unapply(plan: LogicalPlan): Option[(LogicalPlan, OneTimeOperator)] =
    StatefulOperators.of(plan).collect { case o: OneTimeOperator => plan -> o }
}
