package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import tidegate.own.StateMark
import tidegate.plans.{OperatorName, OwnNode}

/**
 * A join of two streams by our own operator; in the place of Spark's join only when a batch is
 * planned.
 *
 * @param condition
 *   what else must be true of a pair whose keys are equal
 * @param reach
 *   how far apart the times of a pair may be
 */
final case class IntervalJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    condition: Option[Expression],
    reach: Reach,
    owner: OperatorName,
    left: LogicalPlan,
    right: LogicalPlan
) extends BinaryNode
    with OwnNode {

  override def output: Seq[Attribute] = IntervalJoin.output(joinType, left.output, right.output)

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): IntervalJoin = copy(left = newLeft, right = newRight)
}

object IntervalJoin {

  /** The name of the operator in the progress of a query, and in the metadata of its state. */
  val StateName: String = "intervalJoin"

  /** The mark on a state, whose chunks know from when to when they have rows by these columns. */
  def mark(times: Sides[String]): StateMark =
    StateMark(StateName, meaning = Seq(times.left, times.right))

  def output(
      joinType: JoinType,
      left: Seq[Attribute],
      right: Seq[Attribute]
  ): Seq[Attribute] = {
    def nullable(columns: Seq[Attribute]) = columns.map(_.withNullability(true))
    joinType match {
      case LeftOuter           => left ++ nullable(right)
      case RightOuter          => nullable(left) ++ right
      case FullOuter           => nullable(left) ++ nullable(right)
      case LeftSemi | LeftAnti => left
      case _                   => left ++ right
    }
  }
}
