package tidegate.own.deduplication

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}
import tidegate.clock.StateCheckpoint
import tidegate.columns.EventTimeTag
import tidegate.errors.CheckpointErrors
import tidegate.operators.{EventTimeColumn, StatefulOperators}
import tidegate.own.aggregates.IntervalKeys
import tidegate.plans.{DropLate, ExplainedQuery, PreparedQuery}
import tidegate.settings.Settings.DeduplicationByTime

/**
 * Deduplication whose keys leave by time becomes our own operator, which finds these keys without a
 * walk over all keys. The start of a query decides where; the plan of each batch follows.
 */
object PlanDeduplications extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val operators = plan
      .collectFirst {
        case p: PreparedQuery  => p.decisions.deduplications
        case e: ExplainedQuery => ofNew(e)
      }
      .toSeq
      .flatten
    if (operators.isEmpty) plan
    else plan.transformUp { case ByTime(d) if operators.contains(d.operator) => d }
  }

  /** The names of the operators that are ours in a new query. */
  private def ofNew(plan: LogicalPlan): Set[String] =
    if (DeduplicationByTime.in(plan.conf)) possible(plan) else Set.empty

  private def possible(plan: LogicalPlan): Set[String] =
    plan.collect { case ByTime(d) => d.operator }.toSet

  /**
   * The names of the operators that are to be ours. Where the checkpoint has state, the checkpoint
   * decides.
   *
   * @param isReplaced
   *   whether a setting replaces Spark's watermarks: such a query can go back to Spark, so new
   *   state is Spark's
   * @throws org.apache.spark.sql.AnalysisException
   *   if the query has no place for keys that our operator left in the checkpoint
   */
  def atStart(
      plan: LogicalPlan,
      checkpoint: StateCheckpoint,
      isReplaced: Boolean
  ): Set[String] = {
    val here = possible(plan)
    val before = checkpoint.operators.filter(_._2 == DeduplicateByTime.StateName).keys.toSeq.sorted
    val restored = before.map { id =>
      val operator = StatefulOperators.withOwnId(plan, id)
      operator
        .filter(here)
        .getOrElse(throw CheckpointErrors.keysRefused(operator.getOrElse(s"with number $id")))
    }
    if (checkpoint.operators.nonEmpty) restored.toSet
    else if (isReplaced) Set.empty
    else ofNew(plan)
  }

  /** A deduplication of a query that can be ours. */
  private object ByTime {
    def unapply(plan: LogicalPlan): Option[DeduplicateByTime] = plan match {
      case d: Deduplicate if d.isStreaming =>
        timeOf(d).filter(t => d.keys.exists(_.exprId == t.exprId)).flatMap { time =>
          byTime(d, d.keys, time, None)
        }
      case d: DeduplicateWithinWatermark if d.isStreaming =>
        for {
          time <- timeOf(d)
          retention <- EventTimeTag.lagMs(time)
          own <- byTime(d, d.keys, time, Some(retention))
          if time.dataType == TimestampType || time.dataType == TimestampNTZType
        } yield own
      case _ => None
    }

    private def byTime(
        plan: UnaryNode,
        keys: Seq[Attribute],
        time: Attribute,
        retentionMs: Option[Long]
    ): Option[DeduplicateByTime] = for {
      owner <- StatefulOperators.nameInQuery(plan)
      if IntervalKeys.reason(keys).isEmpty
      drop <- plan.child.collectFirst { case d: DropLate if d.operator == owner.name => d }
    } yield DeduplicateByTime(keys, time, retentionMs, drop.isInclusive, owner.name, plan.child)

    private def timeOf(plan: LogicalPlan): Option[Attribute] = EventTimeColumn.of(plan)
  }
}
