package tidegate.own.over

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.OwnState
import tidegate.settings.{Setting, Settings}

/** Functions over the rows before a row: an operator that Spark does not have for streams. */
private[tidegate] object Over extends OwnOperator {

  override val kind: String = OverAggregate.StateName

  override val noun: String = "over"

  override val names: Seq[String] = Seq(kind)

  override val enabled: Option[Setting[Boolean]] = None

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case o: OverAggregate => Claim.always(o, o.state, isAppendOnly = true)
    case _                => None
  }

  override def inWords(stored: StoredState): String =
    before(stored).fold("the rows before those that come")(state => s"the rows before, for $state")

  private def before(stored: StoredState): Option[OverState] =
    stored.stateMark.flatMap(OverState.of)

  override val needed: String = "functions with OVER"

  override def changed(
      operator: String,
      stored: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] =
    Either.cond(before(stored).forall(_ == now), None, s"the query has $now")

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case o: OverAggregate =>
      OverAggregateExec(
        OverFunctions.of(o.results),
        o.columns,
        o.state.mark,
        o.partitionBy,
        o.eventTime,
        o.nullable,
        Some(Settings.OverRetention.in(o.conf)).filter(_ > 0),
        in.context(o.operator, isWhole = o.partitionBy.isEmpty),
        in.planLater(o.child)
      )
  }
}
