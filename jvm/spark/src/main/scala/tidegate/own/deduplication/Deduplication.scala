package tidegate.own.deduplication

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{
  Deduplicate,
  DeduplicateWithinWatermark,
  LogicalPlan,
  UnaryNode
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}
import tidegate.columns.EventTimeTag
import tidegate.operators.{EventTimeColumn, StatefulOperators}
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.{DropLate, OwnState}
import tidegate.settings.Setting
import tidegate.settings.Settings.DeduplicationEnabled

/** The first row of equal ones, by keys that leave the state by a time of their own. */
private[tidegate] object Deduplication extends OwnOperator {

  /** The keys say all. */
  private object Keys extends OwnState {
    override def kind: String = Deduplication.kind
  }

  override val kind: String = DeduplicateByTime.StateName

  override val noun: String = "deduplication"

  override val names: Seq[String] = Seq("deduplicate", "deduplicateWithinWatermark")

  override val enabled: Option[Setting[Boolean]] = Some(DeduplicationEnabled)

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case d: Deduplicate if d.isStreaming                => claim(d, d.keys, byKey(d))
    case d: DeduplicateWithinWatermark if d.isStreaming => claim(d, d.keys, withinWatermark(d))
    case _                                              => None
  }

  private def claim(
      node: UnaryNode,
      keys: Seq[Attribute],
      own: => Either[String, DeduplicateByTime]
  ): Option[Claim] = StatefulOperators.nameInQuery(node).map { owner =>
    Claim(
      Some(owner),
      keys,
      isAppendOnly = false,
      isKeptForSpark = true,
      _ => own.map(_ => Keys),
      _ => own.getOrElse(node)
    )
  }

  private def byKey(d: Deduplicate): Either[String, DeduplicateByTime] =
    EventTimeColumn
      .of(d)
      .filter(time => d.keys.exists(_.exprId == time.exprId))
      .flatMap(byTime(d, d.keys, _, None))
      .toRight("no key is an event time, so no key ever leaves")

  private def withinWatermark(d: DeduplicateWithinWatermark): Either[String, DeduplicateByTime] = {
    for {
      time <- EventTimeColumn.of(d)
      if time.dataType == TimestampType || time.dataType == TimestampNTZType
      retention <- EventTimeTag.lagMs(time)
      own <- byTime(d, d.keys, time, Some(retention))
    } yield own
  }.toRight("its event time is a window")

  private def byTime(
      plan: UnaryNode,
      keys: Seq[Attribute],
      time: Attribute,
      retentionMs: Option[Long]
  ): Option[DeduplicateByTime] = for {
    owner <- StatefulOperators.nameInQuery(plan)
    drop <- plan.child.collectFirst { case d: DropLate if d.operator == owner.name => d }
  } yield DeduplicateByTime(keys, time, retentionMs, drop.isInclusive, owner.name, plan.child)

  override def inWords(stored: StoredState): String = "the keys of a deduplication"

  override val needed: String = "deduplication by keys and a time"

  override def changed(
      operator: String,
      before: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] = Right(None)

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case d: DeduplicateByTime =>
      DeduplicateByTimeExec(
        d.keys,
        d.eventTime,
        d.retentionMs,
        d.isInclusive,
        in.context(Some(d.operator)),
        in.planLater(d.child)
      )
  }
}
