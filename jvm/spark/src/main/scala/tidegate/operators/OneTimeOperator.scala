package tidegate.operators

import scala.annotation.unused

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode

/** A stateful operator with one input of rows that it may find late. */
private[tidegate] trait OneTimeOperator extends TimedOperator {

  /**
   * The keyed column that the operator runs on: a window before a plain time; among the keys of the
   * operator before among all columns of its input. `None` if it sees no keyed column.
   *
   * @throws AnalysisException
   *   if two are equally good
   */
  def time(operator: LogicalPlan): Option[Attribute]

  /** The columns among the operator's keys. */
  def keys(operator: LogicalPlan): Seq[Attribute] = Nil

  /** The columns of the input that reach the state. */
  def inState(operator: LogicalPlan): Seq[Attribute] = operator.children.head.output

  /** Whether late rows are dropped in an output mode. */
  def dropsLate(mode: OutputMode): Boolean = true

  /** The lowest watermark, in epoch ms: Spark's operators cannot evict what is before the epoch. */
  def lowestMs: Long = 0L

  /** The operator with its name in the query, if it has a place for one. */
  def named(operator: LogicalPlan, @unused name: String): LogicalPlan = operator

  /**
   * The nodes that Spark plans for the operator, each with watermarks in the place of Spark's. What
   * is late is never left to them: it was dropped below.
   */
  def bound: PartialFunction[SparkPlan, StateTimes => SparkPlan]

  final override def isPlannedAs(node: SparkPlan): Boolean = bound.isDefinedAt(node)
}

private[tidegate] object OneTimeOperator {

  /** A logical node that is such an operator, and which one. */
  def unapply(plan: LogicalPlan): Option[(LogicalPlan, OneTimeOperator)] =
    StatefulOperators.of(plan).collect { case o: OneTimeOperator => plan -> o }
}
