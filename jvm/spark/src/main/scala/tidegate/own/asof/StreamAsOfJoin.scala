package tidegate.own.asof

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.toPrettySQL
import tidegate.own.StateMark
import tidegate.plans.{AsOfTable, OperatorName, OwnState, TimedPair}

/**
 * Joins each row of a stream with the newest version of its key in another stream, as of the time
 * of the row.
 *
 * @param toleranceMs
 *   how much older than the row a version may be; none: any age
 * @param isOuter
 *   whether rows without a version stay, with NULLs
 * @param condition
 *   what else must be true of a row and its version
 * @param state
 *   what its state means, in the words of the query
 * @param owner
 *   the operator of a query; none if the query has not started
 */
final case class StreamAsOfJoin(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftTime: Attribute,
    rightTime: Attribute,
    toleranceMs: Option[Long],
    isOuter: Boolean,
    condition: Option[Expression],
    state: AsOfState,
    owner: Option[OperatorName],
    left: LogicalPlan,
    right: LogicalPlan
) extends TimedPair {

  override def kind: String = StreamAsOfJoin.StateName

  override def named(name: OperatorName): StreamAsOfJoin = copy(owner = Some(name))

  override def output: Seq[Attribute] = StreamAsOfJoin.output(left.output, right.output)

  override protected def stringArgs: Iterator[Any] = Iterator(
    leftKeys,
    rightKeys,
    leftTime,
    rightTime,
    toleranceMs,
    isOuter,
    condition,
    owner.map(_.name)
  )

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): StreamAsOfJoin = copy(left = newLeft, right = newRight)
}

object StreamAsOfJoin {

  /** The name of the operator in a query, in its progress, and in the metadata of its state. */
  val StateName: String = "asOfJoin"

  /**
   * Nullable, because rows of earlier batches may have NULL where those of a batch cannot. The time
   * of a version is no event time of the result: it may be of any age.
   */
  def output(left: Seq[Attribute], right: Seq[Attribute]): Seq[Attribute] =
    left.map(_.withNullability(true)) ++ right.map(AsOfTable.withoutTime(_).withNullability(true))
}

/**
 * What the rows in the state of an as-of join mean.
 *
 * @param left
 *   the name of the left time
 * @param right
 *   the name of the right time
 * @param keys
 *   what is equal in a row and its version
 * @param toleranceMs
 *   how old a version may be; older ones have left the state
 */
final case class AsOfState(
    left: String,
    right: String,
    keys: Seq[String],
    toleranceMs: Option[Long]
) extends OwnState {

  override def kind: String = StreamAsOfJoin.StateName

  /** The mark on the state, whose rows are in the order of these times. */
  def mark: StateMark =
    StateMark(kind, meaning = Seq(left, right, toleranceMs.fold("")(_.toString)) ++ keys)
}

private[tidegate] object AsOfState {

  /** @param keys the equal expressions of both sides */
  def of(
      left: Attribute,
      right: Attribute,
      keys: Seq[(Expression, Expression)],
      toleranceMs: Option[Long]
  ): AsOfState = AsOfState(
    left.name,
    right.name,
    keys.map { case (l, r) => s"${toPrettySQL(l)} = ${toPrettySQL(r)}" },
    toleranceMs
  )

  def of(mark: StateMark): Option[AsOfState] = mark.meaning match {
    case Seq(left, right, tolerance, keys @ _*) =>
      Some(AsOfState(left, right, keys, tolerance.toLongOption))
    case _ => None
  }
}
