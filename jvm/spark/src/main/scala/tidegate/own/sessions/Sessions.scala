package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.{Attribute, SessionWindow}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import tidegate.operators.StatefulOperators
import tidegate.own.aggregates.{AggregateColumns, PartialAggregation}
import tidegate.own.{Change, Claim, OwnOperator, OwnPlanning, StoredState}
import tidegate.plans.{DropLate, OwnState}
import tidegate.settings.Setting
import tidegate.settings.Settings.SessionsEnabled

/** What the sessions in a state mean: how far apart their rows may be, in µs. */
final case class SessionState(gap: Long) extends OwnState {
  override def kind: String = Sessions.kind
  override def gapMicros: Option[Long] = Some(gap)
}

/**
 * Sessions with one gap for all rows, which are merged where that gives the same as Spark's plan.
 */
private[tidegate] object Sessions extends OwnOperator {

  override val kind: String = SessionAggregate.StateName

  override val noun: String = "sessions"

  override val names: Seq[String] = Seq("aggregate")

  override val enabled: Option[Setting[Boolean]] = Some(SessionsEnabled)

  override def claim(node: LogicalPlan): Option[Claim] = node match {
    case a: Aggregate if a.isStreaming =>
      a.groupingExpressions.collectFirst {
        case session: Attribute if session.metadata.contains(SessionWindow.marker) =>
          claim(a, session)
      }
    case _ => None
  }

  private def claim(a: Aggregate, session: Attribute): Claim = {
    val keys = a.groupingExpressions.filterNot(_.semanticEquals(session))
    def refusedKey = keys.collectFirst {
      case k if k.references.contains(session) => s"the key ${k.sql} is made of the session"
    }
    Claim(
      StatefulOperators.nameInQuery(a),
      a.groupingExpressions,
      isAppendOnly = true,
      isKeptForSpark = true,
      _ =>
        for {
          _ <- Either.cond(keys.nonEmpty, (), "the sessions have no key")
          _ <- refusedKey.toLeft(())
          _ <- AggregateColumns.refused(a)(_ => false, "").toLeft(())
          gap <- SessionGap.of(a.child, session)
        } yield SessionState(gap),
      {
        case SessionState(gap) => new OwnSessions(a, session, keys, gap).plan
        case _                 => a
      }
    )
  }

  override def inWords(stored: StoredState): String =
    stored.mark.flatMap(_.gapMicros).fold("sessions")(SessionAggregate.described)

  override val needed: String = "sessions"

  override def changed(
      operator: String,
      before: StoredState,
      now: OwnState
  ): Either[String, Option[Change]] = Right {
    for {
      former <- before.mark.flatMap(_.gapMicros)
      gap <- now.gapMicros
      if gap != former
    } yield Change(
      s"The sessions of $operator were changed from ${SessionAggregate.described(former)} to " +
        s"${SessionAggregate.described(gap)}: compatible, sessions that are open keep their ends " +
        "until a row joins them.",
      isExact = true
    )
  }

  override def physical(in: OwnPlanning): PartialFunction[LogicalPlan, SparkPlan] = {
    case AggregateColumns.Results(results, node: SessionAggregate) =>
      val partial = PartialAggregation(node.child, node.frame)
      val sessions = new SessionParts(partial, node)
      SessionAggregateExec(
        sessions.aggregates(results),
        node.gapMicros,
        in.context(node.operator, DropLate.LowestMs),
        sessions.over(in.planLater(partial.child))
      )
  }
}
