package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}
import tidegate.plans.OperatorName

/**
 * A join of two streams by our own operator; in the place of Spark's join only when a batch is
 * planned.
 *
 * @param condition
 *   what else must be true of a pair whose keys are equal
 * @param least
 *   how much later than the left row the right row of a pair is at least, in µs; negative if the
 *   right row may be earlier
 * @param most
 *   the same at most
 */
final case class IntervalJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    condition: Option[Expression],
    least: Long,
    most: Long,
    owner: OperatorName,
    left: LogicalPlan,
    right: LogicalPlan
) extends BinaryNode {

  override def output: Seq[Attribute] = IntervalJoin.output(joinType, left.output, right.output)

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): IntervalJoin = copy(left = newLeft, right = newRight)
}

object IntervalJoin {

  /** The name of the operator in the progress of a query, and in the metadata of its state. */
  val StateName: String = "intervalJoin"

  private val LeftTime = "tidegate.leftTime"
  private val RightTime = "tidegate.rightTime"

  /**
   * For the first column of the key in the schema of a state: the names of the columns by which the
   * rows of each side leave.
   */
  def metadata(leftTime: String, rightTime: String): Metadata =
    new MetadataBuilder().putString(LeftTime, leftTime).putString(RightTime, rightTime).build()

  /** The names in the schema of a state, of the left and of the right side. */
  def timesIn(key: StructType): Option[(String, String)] =
    Option(key.head.metadata).filter(m => m.contains(LeftTime) && m.contains(RightTime)).map { m =>
      m.getString(LeftTime) -> m.getString(RightTime)
    }

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
