package tidegate.preparation

import java.util.IdentityHashMap

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming.OutputMode
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.{LastAggregation, StatefulOperators}
import tidegate.own.aggregates.AggregateColumns
import tidegate.own.asof.AsOf
import tidegate.own.deduplication.Deduplication
import tidegate.own.join.Joins
import tidegate.own.order.Order
import tidegate.own.over.Over
import tidegate.own.sessions.Sessions
import tidegate.own.windows.Windows
import tidegate.own.{Change, Claim, KeptBySpark, OwnOperator, StateMark, StoredState}
import tidegate.plans.{DecidedQuery, DropLate, OfSpark, OwnDecisions, OwnState}

/** All operators of our own; decides at the start of a query which nodes of the query they are. */
private[tidegate] object OwnOperators extends Logging {

  val all: Seq[OwnOperator] = Seq(Windows, Sessions, Deduplication, Joins, AsOf, Order, Over)

  private[preparation] def claimOn(node: LogicalPlan): Option[(OwnOperator, Claim)] =
    all.iterator.flatMap(own => own.claim(node).map(own -> _)).nextOption()

  /**
   * For the plan of a query that is about to start, with its `DropLate`s. Where the checkpoint has
   * state, the checkpoint decides: our operators stay ours, and Spark's stay Spark's, whatever the
   * settings are.
   *
   * @param checkpoint
   *   none of a query that nobody starts
   * @param isReplaced
   *   whether a watermark of the query is Spark's, and a keyed one took its place: such a query can
   *   go back to Spark
   * @return
   *   the plan, in which some nodes are made in a shorter way, and the decisions
   * @throws org.apache.spark.sql.AnalysisException
   *   if the checkpoint has state of ours with which the query cannot continue, or which a newer
   *   version wrote
   */
  def decide(
      plan: LogicalPlan,
      mode: OutputMode,
      checkpoint: Option[StateCheckpoint],
      isReplaced: Boolean
  ): (LogicalPlan, OwnDecisions) = {
    val stored = checkpoint.fold(Seq.empty[StoredState])(storedStates(plan, _))
    stored.foreach(refuseUnknown)
    val hasState = checkpoint.exists(_.operators.nonEmpty)

    val modeOf = LastAggregation.modes(plan, mode)

    def decided(own: OwnOperator, claim: Claim, mode: OutputMode): Either[String, OwnState] = {
      val before = claim.owner.flatMap(o => stored.find(isOf(own, o.name, _)))
      for {
        _ <- Either.cond(
          !claim.isAppendOnly || mode == OutputMode.Append(),
          (),
          s"the output mode is ${mode.toString.toLowerCase}, and only append waits for ${own.noun}"
        )
        _ <-
          if (before.isDefined || own.enabled.isEmpty) Right(())
          else againstNew(own, claim, plan, hasState, isReplaced).toLeft(())
        state <- claim.state(before.flatMap(_.schema))
      } yield state
    }

    val claims = plan.collect(Function.unlift(node => claimOn(node).map(node -> _))).map {
      case (node, (own, claim)) => (node, own, claim, decided(own, claim, modeOf(node)))
    }
    val decisions = OwnDecisions(
      claims
        .collect { case (_, _, claim, Right(state)) => claim.owner.map(_.name -> state) }
        .flatten
        .toMap,
      claims.collect { case (_, own, claim, Left(why)) =>
        claim.owner.map(_.name) -> OfSpark(own.kind, why)
      }.toMap
    )
    changes(stored, decisions).values.foreach(change => logWarning(change.words))
    val reasons = claims.collect { case (node, _, _, Left(why)) => node -> why }
    def reason(node: LogicalPlan) = reasons.collectFirst {
      case (n, why) if n.fastEquals(node) => why
    }
    (all.foldLeft(plan)((query, own) => own.prepared(query, reason)), decisions)
  }

  /** Why an operator without a state of ours is Spark's, whatever the node is. */
  private def againstNew(
      own: OwnOperator,
      claim: Claim,
      plan: LogicalPlan,
      hasState: Boolean,
      isReplaced: Boolean
  ): Option[String] =
    if (hasState) Some(s"the checkpoint was made with Spark's ${own.noun}")
    else
      own.enabled
        .filterNot(_.in(plan.conf))
        .map(setting => s"${setting.key} is false")
        .orElse(Option.when(isReplaced && claim.isKeptForSpark) {
          "the watermark is Spark's, replaced by a setting, and Spark can continue with its own " +
            "state"
        })
        .orElse(AggregateColumns.intervalIn(claim.keys))

  private def storedStates(plan: LogicalPlan, checkpoint: StateCheckpoint): Seq[StoredState] = for {
    (id, kind) <- checkpoint.operators.toSeq.sortBy(_._1)
    if all.exists(_.kind == kind)
    operator = StatefulOperators.withOwnId(plan, id)
  } yield StoredState(
    id,
    kind,
    operator,
    checkpoint.stateSchema(id),
    operator.flatMap(checkpoint.marks.get)
  )

  private def isOf(own: OwnOperator, operator: String, state: StoredState): Boolean =
    state.kind == own.kind && state.operator.contains(operator)

  private def refuseUnknown(state: StoredState): Unit =
    for (schema <- state.schema) StateMark.of(schema.keySchema) match {
      case Some(mark) if mark.format > StateMark.Format =>
        throw CheckpointErrors.newerState(state.name, mark.format, StateMark.Format)
      case Some(mark) if mark.kind == state.kind =>
      case _                                     =>
        val found =
          "no released version of Tidegate wrote it: its schema has no mark of the operator"
        throw refused(ofKind(state), state, found)
    }

  private def ofKind(state: StoredState): OwnOperator = all.find(_.kind == state.kind).get

  /** The changes of those operators whose states mean something else now, by their names. */
  def changes(
      plan: LogicalPlan,
      decisions: OwnDecisions,
      checkpoint: StateCheckpoint
  ): Map[String, Change] = changes(storedStates(plan, checkpoint), decisions)

  private def changes(stored: Seq[StoredState], decisions: OwnDecisions): Map[String, Change] = {
    for {
      state <- stored
      own = ofKind(state)
      now = state.operator.flatMap(decisions.states.get).filter(_.kind == state.kind).getOrElse {
        val why = state.operator.flatMap(o => decisions.against.get(Some(o)))
        throw why.filter(_.kind == own.kind) match {
          case Some(w) => refused(own, state, s"the query cannot use them: ${w.reason}")
          case None    => gone(own, state)
        }
      }
      change <- own
        .changed(state.name, state, now)
        .fold(why => throw refused(own, state, why), identity)
    } yield state.name -> change
  }.toMap

  /** Spark finds states by places: another operator may have come to that of a join. */
  private def gone(own: OwnOperator, state: StoredState) = {
    val there = s"the query has no ${own.needed} there"
    state.operator.filter(name => own.kind == Joins.kind && !name.startsWith(Joins.noun)) match {
      case Some(name) =>
        CheckpointErrors.stateOfGoneRefused(own.inWords(state), s"$there, but `$name`")
      case None => refused(own, state, there)
    }
  }

  private def refused(own: OwnOperator, state: StoredState, found: String) =
    CheckpointErrors.stateRefused(state.inWords, own.inWords(state), found)
}

/**
 * Puts our own nodes into the plan of a batch, as the start decided; and shows in `EXPLAIN` why
 * others are Spark's.
 */
object PlanOwnOperators extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.collectFirst { case query: DecidedQuery => query.own }.fold(plan) { decisions =>
      // A running query has no common table expressions any more, but an explained one may.
      val query = InlineCTE(alwaysInline = true)(plan)
      // Each node as the start saw it, above nodes in whose place none of ours has come.
      val claims = new IdentityHashMap[LogicalPlan, Claim]
      query
        .foreach(node => OwnOperators.claimOn(node).foreach { case (_, c) => claims.put(node, c) })
      query.transformDown(Function.unlift { node =>
        Option(claims.get(node)).flatMap(planned(node, _, decisions))
      })
    }

  private def planned(
      node: LogicalPlan,
      claim: Claim,
      decisions: OwnDecisions
  ): Option[LogicalPlan] = {
    val name = claim.owner.map(_.name)
    name.flatMap(decisions.states.get).map(claim.plan).orElse {
      decisions.against.get(name).map(spark => shown(node, claim, spark.reason))
    }
  }

  /** The reason stands where late rows are dropped, or else right under the operator. */
  private def shown(node: LogicalPlan, claim: Claim, why: String): LogicalPlan = {
    def above(plan: LogicalPlan): LogicalPlan = plan match {
      case k: KeptBySpark                               => k
      case d: DropLate if claim.owner.contains(d.owner) => KeptBySpark(why, d)
      case other                                        => other.mapChildren(above)
    }
    val first = node.children.head
    val made = if (claim.owner.isDefined) above(first) else KeptBySpark(why, first)
    node.withNewChildren(made +: node.children.tail)
  }
}
