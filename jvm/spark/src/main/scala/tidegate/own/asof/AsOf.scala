package tidegate.own.asof

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.{DropLate, OwnState}
import tidegate.settings.Setting

/** As-of joins: an operator that Spark does not have for streams. */
private[tidegate] object AsOf extends OwnOperator {

  override val kind: String = StreamAsOfJoin.StateName

  override val noun: String = "asof"

  override val names: Seq[String] = Seq(kind)

  override val enabled: Option[Setting[Boolean]] = None

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case join: StreamAsOfJoin => Claim.always(join, join.state)
    case _                    => None
  }

  override def inWords(stored: StoredState): String = "the rows of an as-of join"

  override val needed: String = "as-of join of streams"

  /** The rows are in the order of their times. */
  override def changed(
      operator: String,
      before: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] =
    (before.stateMark.flatMap(AsOfState.of), now) match {
      case (Some(former), of: AsOfState) if former.left != of.left || former.right != of.right =>
        Left(
          s"its times are `${of.left}` and `${of.right}` now, and were `${former.left}` and " +
            s"`${former.right}` before"
        )
      case (Some(former), of: AsOfState) if former.keys != of.keys =>
        Left(
          s"its keys are ${of.keys.mkString(", ")} now, and were ${former.keys.mkString(", ")} before"
        )
      case (Some(former), of: AsOfState) if isWider(former.toleranceMs, of.toleranceMs) =>
        Right(
          Some(
            Change(
              s"The tolerance of the operator $operator is larger than before: versions that were " +
                "older than the former tolerance have left its state.",
              isExact = false
            )
          )
        )
      case _ => Right(None)
    }

  private def isWider(before: Option[Long], now: Option[Long]): Boolean =
    before.exists(b => now.forall(_ > b))

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case join: StreamAsOfJoin =>
      def dropOf(side: LogicalPlan) = side.collectFirst {
        case d: DropLate if join.owner.contains(d.owner) => d.operator
      }
      StreamAsOfJoinExec(
        join.leftKeys.map(SparkInternals.normalized),
        join.rightKeys.map(SparkInternals.normalized),
        join.leftTime,
        join.rightTime,
        join.toleranceMs,
        join.state.mark,
        join.isOuter,
        join.condition,
        join.owner,
        None,
        in.contextOf(join.owner.map(_.name), Seq(join.left, join.right).flatMap(dropOf)),
        in.planLater(join.left),
        in.planLater(join.right)
      )
  }
}
