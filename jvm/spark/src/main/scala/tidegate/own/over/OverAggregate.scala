package tidegate.own.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SupportsNonDeterministicExpression}
import org.apache.spark.sql.types.DataType
import tidegate.own.StateMark
import tidegate.plans.{EmitsEarlierRows, OwnState, TimedNode}

/**
 * Adds to each row what a function makes of the rows before it: functions with `OVER`. The child is
 * an event-time order with the same keys, so each row comes once, when all rows before it have
 * come.
 *
 * @param results
 *   the values of the new columns, over those of the child and [[OverFunction]]s. Spark takes away
 *   the names of expressions in nodes that it does not know
 * @param columns
 *   the new columns
 * @param partitionBy
 *   the columns by which rows are told apart; none: all rows are together
 * @param state
 *   what its state means, in the words of the query
 * @param operator
 *   the name of the operator; none if the query has not started
 */
final case class OverAggregate(
    results: Seq[Expression],
    columns: Seq[Attribute],
    partitionBy: Seq[Attribute],
    eventTime: Attribute,
    state: OverState,
    operator: Option[String],
    child: LogicalPlan,
    nullable: Set[ExprId] = Set.empty
) extends EmitsEarlierRows
    with TimedNode
    with SupportsNonDeterministicExpression {

  override def kind: String = OverAggregate.StateName

  override def allowNonDeterministicExpression: Boolean = true

  override def named(name: String): OverAggregate = copy(operator = Some(name))

  override def output: Seq[Attribute] = childOutput ++ columns

  override def producedAttributes: AttributeSet = AttributeSet(columns)

  override protected def withNullable(columns: Set[ExprId]): LogicalPlan = copy(nullable = columns)

  override protected def withNewChildInternal(newChild: LogicalPlan): OverAggregate =
    copy(child = newChild)
}

object OverAggregate {

  /** The name of the operator in a query, in its progress, and in the metadata of its state. */
  val StateName: String = "over"
}

/**
 * A function over the rows before a row.
 *
 * @param function
 *   an aggregate function. Not as an `AggregateExpression`, which Spark allows only in its own
 *   nodes
 */
final case class OverFunction(function: Expression, frame: OverFrame)
    extends UnaryExpression
    with Unevaluable {

  override def child: Expression = function

  override def dataType: DataType = function.dataType

  override def nullable: Boolean = function.nullable

  override def sql: String = s"${function.sql} OVER ($frame)"

  override def toString: String = s"$function OVER ($frame)"

  override protected def withNewChildInternal(newChild: Expression): OverFunction =
    copy(function = newChild)
}

object OverFunction {

  /** Those of an expression. */
  def in(e: Expression): Seq[OverFunction] = e.collect { case f: OverFunction => f }
}

/** What the state of functions over rows means. */
final case class OverState(
    eventTime: String,
    partitionBy: Seq[String],
    functions: Seq[String]
) extends OwnState {

  override def kind: String = OverAggregate.StateName

  /** The mark on the state. A name of a column may have any character, so numbers divide them. */
  def mark: StateMark =
    StateMark(kind, meaning = (eventTime +: partitionBy.size.toString +: partitionBy) ++ functions)

  /** For messages. */
  override def toString: String = {
    val rows =
      if (partitionBy.isEmpty) "all rows"
      else partitionBy.mkString("the rows of each `", "`, `", "`")
    s"${functions.mkString(", ")} over $rows by `$eventTime`"
  }
}

private[tidegate] object OverState {

  def of(mark: StateMark): Option[OverState] = mark.meaning match {
    case Seq(time, size, others @ _*) if size.toIntOption.isDefined =>
      val (keys, functions) = others.splitAt(size.toInt)
      Some(OverState(time, keys, functions))
    case _ => None
  }
}
