package tidegate.preparation

import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.streaming.OutputMode
import tidegate.analysis.KeepOneClock
import tidegate.checks.{CheckGroupingSets, CheckJoins}
import tidegate.clock.StateCheckpoint
import tidegate.plans.{KeyedWatermark, PreparedQuery, QueryDecisions}
import tidegate.sources.{CheckAppendTime, SuggestSubstreams}

/**
 * Makes the plan of a query ready to start: only here the whole plan is known.
 *
 *   1. Common table expressions are inlined.
 *   1. Spark's watermarks become keyed ones, if the session asks for it.
 *   1. Watermark nodes get their final names, and each function gets the watermark that it asks
 *      for.
 *   1. The names that the user gave to operators move to their operators.
 *   1. The log names watermarks over Kafka that have no substreams although they could.
 *   1. Kafka rows whose timestamp is used as append time get a check that the broker set it.
 *   1. Everything that the query says about the times of a join goes into its condition. An inner
 *      join without bounds gets those that the session has for it, and each join is checked.
 *   1. Each grouping set is checked to have the column by which its groups leave the state.
 *   1. Each stateful operator sees one event time column.
 *   1. Late rows are dropped under each stateful operator, and their folders and tables are made.
 *   1. Operators with names are found in the checkpoint.
 *   1. Nodes without an emission get one that fits the windows downstream.
 *   1. Each stream is checked to be where it was when the checkpoint was made.
 *   1. It is decided which operators are our own, and each of them is checked to continue with its
 *      state in the checkpoint.
 *   1. All decisions are attached to the plan, as one value.
 */
private[preparation] object QueryPreparation {

  /** The plan of a query made ready to start; `None` if it has no keyed watermark. */
  def prepare(
      query: LogicalPlan,
      mode: OutputMode,
      checkpoint: StateCheckpoint
  ): Option[PreparedQuery] =
    Option.when(isNeeded(query))(prepared(query, mode, checkpoint))

  def prepared(
      input: LogicalPlan,
      mode: OutputMode,
      checkpoint: StateCheckpoint
  ): PreparedQuery = AnalysisHelper.allowInvokingTransformsInAnalyzer {
    val dropped = through(
      named(input),
      SuggestSubstreams(_),
      CheckAppendTime(_),
      timed(_, mode),
      PlaceLateRows(_)
    )
    val operators = new RestoredOperators(dropped, checkpoint)
    val numbered = through(
      operators.numbered,
      ChooseEmission(_),
      RestoredNodes.check(_, checkpoint)
    )
    val renamed = checkpoint.renamed(operators.former)
    val (query, own) =
      OwnOperators.decide(numbered, mode, Some(renamed), ReplaceWatermarks.isWanted(input))
    val places = operators.places(query, own.states.keySet)
    PreparedQuery(
      QueryDecisions(
        QueryTimes.of(query, own, places),
        own,
        operators.former,
        operators.isNumbered,
        checkpoint.isNew
      ),
      query
    )
  }

  /** The plan of a query that nobody starts, with the times of its operators. */
  def explained(query: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer(timed(named(query), OutputMode.Append()))

  private def named(input: LogicalPlan): LogicalPlan = through(
    input,
    // Spark inlines common table expressions only in the optimizer, and a reference hides the
    // plan.
    InlineCTE(alwaysInline = true)(_),
    ReplaceWatermarks(_),
    KeepOneClock(_),
    NameNodes(_),
    PlaceNames(_)
  )

  private def timed(query: LogicalPlan, mode: OutputMode): LogicalPlan = through(
    query,
    FindFunctionInputs(_),
    CompleteJoinConditions(_),
    LimitJoins(_),
    CheckJoins.atStart(_),
    CheckGroupingSets.atStart(_, mode),
    SelectEventTimeColumn(_),
    InsertDropLate(_, mode)
  )

  private def through(plan: LogicalPlan, steps: (LogicalPlan => LogicalPlan)*): LogicalPlan =
    steps.foldLeft(plan)((query, step) => step(query))

  /** Whether a query has keyed watermarks, or gets them, and was not made ready yet. */
  def isNeeded(query: LogicalPlan): Boolean =
    (query.exists(_.isInstanceOf[KeyedWatermark]) || ReplaceWatermarks.isWanted(query)) &&
      !query.exists(_.isInstanceOf[PreparedQuery])
}
