package tidegate.own.sessions

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming.OutputMode
import tidegate.clock.StateCheckpoint
import tidegate.operators.StatefulOperators
import tidegate.own.NoFrames
import tidegate.own.aggregates.IntervalKeys
import tidegate.own.windows.PlanFrames
import tidegate.plans.{KeyedWatermark, PreparedQuery}
import tidegate.settings.Settings.SessionsEnabled

/**
 * Lets Tidegate merge sessions itself, where that gives the same rows as Spark's plan; and where it
 * does not, says why.
 *
 * The rule runs on the plan of each batch, after the analysis and before [[PlanFrames]]. What a
 * batch cannot know is decided when the query starts: see [[PlanSessions.atStart]].
 */
object PlanSessions extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(_.isInstanceOf[KeyedWatermark])) plan
    else {
      // As for frames: only an explained query has common table expressions.
      val inlined = InlineCTE(alwaysInline = true)(plan)
      val decisions = inlined.collectFirst { case p: PreparedQuery => p.decisions.sessions }
      inlined.transformUp { case SessionAggregation(a, session) =>
        decisions.fold(explained(a, session))(decided(a, session, _))
      }
    }

  private def explained(a: Aggregate, session: Attribute): LogicalPlan =
    if (NoFrames.isUnder(a)) a
    else {
      val isEnabled = Either.cond(SessionsEnabled.in(a.conf), (), isFalse)
      isEnabled
        .flatMap(_ => IntervalKeys.reason(a.groupingExpressions).toLeft(()))
        .flatMap(_ => planned(a, session))
        .fold(against(a, _), _._2)
    }

  private def decided(a: Aggregate, session: Attribute, decisions: SessionDecisions) = {
    val operator = operatorOf(a)
    def reason = operator.flatMap(decisions.against.get).orElse(decisions.againstAll)
    if (operator.exists(decisions.gapsMicros.contains))
      planned(a, session).fold(
        reason => throw new IllegalStateException(s"Sessions were decided on, but now: $reason"),
        _._2
      )
    else reason.fold[LogicalPlan](a)(against(a, _))
  }

  /** Without the setting, the plan is Spark's and nothing else. */
  private def against(a: Aggregate, reason: String): LogicalPlan =
    if (reason == isFalse) a else NoFrames.under(a, reason)

  private def operatorOf(a: Aggregate): Option[String] =
    StatefulOperators.nameInQuery(a).map(_.name)

  /**
   * For the plan of a query that is about to start. Where the checkpoint has state, the checkpoint
   * decides: our sessions stay ours, and Spark's stay Spark's, whatever the setting is.
   *
   * @param isReplaced
   *   whether a watermark of the query is Spark's, and a keyed one took its place
   * @throws AnalysisException
   *   if the checkpoint has sessions of ours that the query cannot continue with
   */
  def atStart(
      plan: LogicalPlan,
      mode: OutputMode,
      checkpoint: StateCheckpoint,
      isReplaced: Boolean
  ): SessionDecisions = {
    val againstAll = reasonAgainst(plan, mode, checkpoint)
    def reason(a: Aggregate): Option[String] = againstAll.orElse {
      if (RestoredSessions.exist(plan, a, checkpoint)) None
      else if (checkpoint.operators.nonEmpty) Some("the checkpoint was made with Spark's sessions")
      else if (isReplaced) Some(PlanFrames.KeptForSpark)
      else IntervalKeys.reason(a.groupingExpressions)
    }
    val found = plan.collect { case SessionAggregation(a, session) =>
      val decision = reason(a).toLeft(()).flatMap(_ => planned(a, session)).map(_._1)
      operatorOf(a).map(_ -> decision)
    }.flatten
    val decisions = SessionDecisions(
      found.collect { case (operator, Right(gap)) => operator -> gap }.toMap,
      found.collect { case (operator, Left(reason)) => operator -> reason }.toMap,
      againstAll
    )
    RestoredSessions.check(plan, decisions, checkpoint)
    decisions
  }

  private def reasonAgainst(
      plan: LogicalPlan,
      mode: OutputMode,
      checkpoint: StateCheckpoint
  ): Option[String] = {
    val hasOwn = checkpoint.operators.values.exists(_ == SessionAggregate.StateName)
    if (!hasOwn && !SessionsEnabled.in(plan.conf)) Some(isFalse)
    else
      Option.when(mode != OutputMode.Append()) {
        s"the output mode is ${mode.toString.toLowerCase}, and only append waits for sessions"
      }
  }

  private def isFalse: String = s"${SessionsEnabled.key} is false"

  /** An aggregation of a stream over sessions. */
  private object SessionAggregation {
    def unapply(a: Aggregate): Option[(Aggregate, Attribute)] =
      if (!a.isStreaming) None
      else
        a.groupingExpressions.collectFirst {
          case k: Attribute if k.metadata.contains(SessionWindow.marker) => a -> k
        }
  }

  /** The gap in µs, and the aggregation without Spark's sessions. */
  private def planned(a: Aggregate, session: Attribute): Either[String, (Long, LogicalPlan)] = {
    val keys = a.groupingExpressions.filterNot(_.semanticEquals(session))
    val functions = a.aggregateExpressions.flatMap(_.collect { case e: AggregateExpression => e })
    def refusedKey = keys.collectFirst {
      case k if k.references.contains(session) => s"the key ${k.sql} is made of the session"
    }
    def refusedFunction = functions.collectFirst {
      case e if e.isDistinct => s"${e.sql} is distinct, and cannot be merged"
      case e if e.aggregateFunction.isInstanceOf[PythonUDAF] => s"${e.sql} is a Python function"
    }
    for {
      _ <- Either.cond(keys.nonEmpty, (), "the sessions have no key")
      _ <- refusedKey.toLeft(())
      _ <- refusedFunction.toLeft(())
      gap <- SessionGap.of(a.child, session)
    } yield gap -> new OwnSessions(a, session, keys, gap).plan
  }
}
