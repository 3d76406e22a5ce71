package tidegate.execution

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.StateStoreWriter
import tidegate.operators.StatefulOperators
import tidegate.plans.OperatorName

/**
 * Finds the nodes that drop the late rows of a stateful operator, by the operator's name.
 *
 * Spark's optimizer rebuilds Spark's operators, so a name on them would be lost. It does not touch
 * a `DropLate`, which knows its owner. So an operator has the name of the nearest `DropLate` whose
 * owner is planned as this operator is, with no other stateful operator in between.
 */
private[tidegate] object FindDropLate {

  /** The name of a stateful operator; `None` if no late rows are dropped for it. */
  def owner(operator: SparkPlan): Option[OperatorName] =
    operator.children
      .flatMap(nearest)
      .map(_.owner)
      .find(o => StatefulOperators.named(o.kind).exists(_.isPlannedAs(operator)))

  private def nearest(plan: SparkPlan): Seq[DropLateExec] = plan match {
    case _: StateStoreWriter => Nil
    case d: DropLateExec     => d +: nearest(d.child)
    case other               => other.children.flatMap(nearest)
  }

  /**
   * The nodes that drop the late rows of an operator in one of its inputs; in a join one for each
   * column.
   */
  def ownedBy(input: SparkPlan, owner: OperatorName): Seq[DropLateExec] =
    input.collect { case d: DropLateExec if d.owner == owner => d }

  /** The node that drops the late rows of an operator with one input. */
  def named(operator: SparkPlan, name: String): Option[DropLateExec] =
    operator.collectFirst { case d: DropLateExec if d.operator == name => d }
}
