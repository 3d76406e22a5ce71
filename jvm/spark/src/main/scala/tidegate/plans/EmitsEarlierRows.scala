package tidegate.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * A node that emits what rows of earlier batches have left in a state. What the optimizer knows of
 * the rows of this batch need not be true of them: Spark leaves out a branch of a union that has no
 * rows in a batch, and then takes columns for not nullable in which the other branch has NULL.
 */
trait EmitsEarlierRows extends UnaryNode {

  /** The columns of the child that were nullable before the plan was optimized. */
  def nullable: Set[ExprId]

  /** The same node, with the columns of its child that are nullable now. */
  def noting: LogicalPlan = withNullable(EmitsEarlierRows.nullableOf(child))

  protected def withNullable(columns: Set[ExprId]): LogicalPlan

  /** The columns of the child, as nullable as they were. */
  protected def childOutput: Seq[Attribute] = EmitsEarlierRows.restored(child.output, nullable)

  override protected lazy val validConstraints: ExpressionSet = ExpressionSet()
}

object EmitsEarlierRows {

  def nullableOf(plan: LogicalPlan): Set[ExprId] =
    plan.output.filter(_.nullable).map(_.exprId).toSet

  def restored(columns: Seq[Attribute], nullable: Set[ExprId]): Seq[Attribute] =
    columns.map(c => if (nullable(c.exprId)) c.withNullability(true) else c)
}

/** A node of ours in the place of a stateful operator of Spark's, in the plan of a batch. */
trait OwnNode extends LogicalPlan

/** A node of ours that keeps rows until the watermark has passed their time. */
trait TimedNode extends LogicalPlan {

  /** What the operator is called. */
  def kind: String

  def eventTime: Attribute

  /** The same node, as an operator of a query. */
  def named(name: String): LogicalPlan
}

object TimedNode {

  /** A plan that is such a node. */
  object Of {
    def unapply(plan: LogicalPlan): Option[TimedNode] = plan match {
      case node: TimedNode => Some(node)
      case _               => None
    }
  }
}
