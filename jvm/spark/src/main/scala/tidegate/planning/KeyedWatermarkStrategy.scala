package tidegate.planning

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.tidegate.{SparkInternals, StatefulOperatorStateInfo}
import tidegate.clock.RunningQuery
import tidegate.core.clock.{OperatorBatch, SubstreamLimit}
import tidegate.core.{EndOfTime, Saturating}
import tidegate.execution.calls.{AsyncCallsExec, AsyncMapExec}
import tidegate.execution.{
  DropLateExec,
  KeyedWatermarkExec,
  LateFolder,
  LateOrigin,
  RetagEventTimeExec,
  SightTableExec,
  WatermarksTableExec
}
import tidegate.own.aggregates.{FrameAggregates, PartialAggregation}
import tidegate.own.deduplication.{DeduplicateByTime, DeduplicateByTimeExec}
import tidegate.own.join.{IntervalJoin, IntervalJoinExec, PlanIntervalJoins, Reach, Sides}
import tidegate.own.order.{EventTimeOrder, EventTimeOrderExec}
import tidegate.own.sessions.{SessionAggregate, SessionAggregateExec, SessionParts}
import tidegate.own.windows.{FrameAggregate, FrameAggregateExec}
import tidegate.own.{NoFrames, NoFramesExec}
import tidegate.plans.{
  AsyncCalls,
  AsyncMap,
  BoundsFollow,
  DropLate,
  ExplainedQuery,
  KeyedOutput,
  KeyedWatermark,
  OperatorName,
  PreparedQuery,
  RetagEventTime,
  SightTable,
  WatermarksTable
}
import tidegate.settings.Settings
import tidegate.statistics.{DonePartitions, DueTimes, LateRows, SubstreamStats}

/**
 * Plans Tidegate's nodes.
 *
 * The statistics are made and registered here, not in a columnar rule, which may see only fragments
 * of a plan. Without an active query, as in `explain` of a DataFrame, there is no watermark.
 */
final case class KeyedWatermarkStrategy(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case k: KeyedWatermark =>
      Seq(
        KeyedWatermarkExec(
          planLater(k.left),
          planLater(k.right),
          k.output,
          k.eventTime,
          k.observed,
          k.substream,
          k.spec,
          k.movedBy,
          query.map(_.batchTimes).flatMap(_.node(k.spec.name)),
          stats(k)
        )
      )
    case d: DropLate       => Seq(dropLate(d))
    case r: RetagEventTime => Seq(RetagEventTimeExec(r.columns, r.metadata, planLater(r.child)))
    case o: KeyedOutput    =>
      val tagged = o.output.filter(_.exprId == o.eventTime.exprId)
      Seq(RetagEventTimeExec(tagged, tagged.map(_.metadata), planLater(o.child)))
    case Project(results, f: FrameAggregate) if results.forall(isPlain) =>
      Seq(frameAggregate(f, results))
    case f: FrameAggregate => Seq(frameAggregate(f, f.output))
    case Project(results, s: SessionAggregate) if results.forall(isPlain) =>
      Seq(sessionAggregate(s, results))
    case s: SessionAggregate          => Seq(sessionAggregate(s, s.output))
    case KeepNotNull(columns, filter) => Seq(ProjectExec(columns, planLater(filter)))
    case o: EventTimeOrder            => Seq(eventTimeOrder(o))
    case d: DeduplicateByTime         => Seq(deduplicateByTime(d))
    case p: PreparedQuery             =>
      val child = planLater(PlanIntervalJoins(p.child, p.decisions.joins))
      val numbers = p.decisions.time.places.transform((_, place) => place.state)
      val ordered =
        if (numbers.isEmpty) child
        else OperatorsInOrderExec(numbers, p.decisions.isNumbered, child)
      Seq(query.filter(_.beginsCheckpoint()).fold(ordered)(FirstBatchExec(_, ordered)))
    case e: ExplainedQuery => Seq(planLater(PlanIntervalJoins(e.child, e.joins)))
    case j: IntervalJoin   => Seq(intervalJoin(j))
    case a: AsyncMap       =>
      val (child, batch) = (planLater(a.child), SparkInternals.batchOf(a, session))
      Seq(AsyncMapExec(a.function, a.options, a.result, a.input, a.output, batch, child))
    case a: AsyncCalls =>
      val (child, batch) = (planLater(a.child), SparkInternals.batchOf(a, session))
      Seq(AsyncCallsExec(a.times, a.metadata, a.calls, a.function, a.deadLetters, batch, child))
    case w: WatermarksTable => Seq(WatermarksTableExec(w.query, w.output))
    case s: SightTable      => Seq(SightTableExec(s.what, s.query, s.output))
    case n: NoFrames        => Seq(NoFramesExec(n.reason, planLater(n.child)))
    // No bounds can follow any more; a query whose join lacks them was refused at its start.
    case b: BoundsFollow => Seq(planLater(b.child))
    case _               => Nil
  }

  private def query: Option[RunningQuery] = RunningQuery.current(session.sparkContext)

  private def stats(node: KeyedWatermark): SubstreamStats = {
    // A function in foreachBatch may plan a keyed DataFrame that is not this query's.
    val running = query.filter(_.nodes.exists(_.spec == node.spec))
    val bound =
      for (q <- running; skew <- node.spec.maxFutureSkewMs)
        yield EndOfTime.micros(Saturating.add(q.batchTimestampMs, skew))
    // Append times ascend: they are never below the watermark.
    val lateBound = for {
      q <- running if node.ingestionTime.isEmpty
      ms <- q.batchTimes.late.nodes.get(node.spec.name).flatMap(_.watermarkMs)
    } yield EndOfTime.micros(ms)
    val stats = new SubstreamStats(
      bound.getOrElse(Long.MaxValue),
      SubstreamLimit(
        node.spec.name,
        node.substream.map(_.name),
        Settings.MaxSubstreams.in(session.sessionState.conf)
      ),
      lateBound.getOrElse(Long.MinValue)
    )
    session.sparkContext.register(stats)
    running.foreach(_.clock.register(node, stats))
    stats
  }

  /** The partial aggregation is Spark's: by the keys and the frame, before the shuffle. */
  private def frameAggregate(node: FrameAggregate, output: Seq[NamedExpression]): SparkPlan = {
    val partial = PartialAggregation(node.child, node.frame)
    val running = runningOperator(node.operator)
    val stateInfo = stateOf(running)
    FrameAggregateExec(
      FrameAggregates(
        partial.stateKeys,
        node.frame,
        partial.functions,
        partial.results(output)
      ),
      node.grid,
      running.map(_._2),
      lowestTimes(running),
      stateInfo,
      dueTimes(running, stateInfo),
      node.isShort,
      for {
        (q, operator) <- running
        info <- stateInfo
        restores <- q.clock.restores(
          operator,
          DonePartitions.in(session.sparkContext, info.numPartitions)
        )
      } yield restores,
      partial.over(planLater(partial.child))
    )
  }

  private def sessionAggregate(node: SessionAggregate, output: Seq[NamedExpression]): SparkPlan = {
    val partial = PartialAggregation(node.child, node.frame)
    val sessions = new SessionParts(partial, node)
    val running = runningOperator(node.operator)
    val stateInfo = stateOf(running)
    SessionAggregateExec(
      sessions.aggregates(output),
      node.gapMicros,
      running.map(_._2),
      lowestTimes(running),
      stateInfo,
      dueTimes(running, stateInfo),
      sessions.over(planLater(partial.child))
    )
  }

  /**
   * What the tasks of the batch that is being planned tell the clock. They tell nothing in a run
   * that ends by itself, because the next run shall begin with the time to which this one has come;
   * nor where operators run on the slowest watermark, as in Spark.
   */
  private def dueTimes(
      running: Option[(RunningQuery, String)],
      state: Option[StatefulOperatorStateInfo]
  ): Option[DueTimes] = for {
    (q, operator) <- running
    info <- state
    if Settings.NoDataBatchesOnlyWhenDue.in(session.sessionState.conf)
    if !q.clock.endsByItself && !q.nodes.exists(_.spec.slowestOf.isDefined)
  } yield {
    val due = DueTimes.in(session.sparkContext, info.numPartitions)
    q.clock.register(operator, due)
    due
  }

  private def stateOf(running: Option[(RunningQuery, String)]): Option[StatefulOperatorStateInfo] =
    running.map { case (q, operator) => q.stateInfo(operator) }

  private def lowestTimes(running: Option[(RunningQuery, String)]): OperatorBatch =
    running.fold(OperatorBatch.none) { case (q, operator) =>
      q.operatorTimes(operator, FrameAggregate.LowestMs)
    }

  private def eventTimeOrder(node: EventTimeOrder): SparkPlan = {
    val running = runningOperator(node.operator)
    val stateInfo = stateOf(running)
      // Spark expects each partition of the state to be committed in every batch.
      .map(info => if (node.partitionBy.isEmpty) info.copy(numPartitions = 1) else info)
    EventTimeOrderExec(
      node.partitionBy,
      node.eventTime,
      node.operator,
      running.fold(OperatorBatch.none) { case (q, operator) =>
        q.operatorTimes(operator)
      },
      stateInfo,
      dueTimes(running, stateInfo),
      node.nullable,
      planLater(node.child)
    )
  }

  private def intervalJoin(node: IntervalJoin): SparkPlan = {
    val stateInfo = query.map(_.stateInfo(node.owner.name))
    def due(side: LogicalPlan) = dueTimes(
      runningOperator(side.collectFirst {
        case d: DropLate if d.owner == node.owner => d.operator
      }),
      stateInfo
    )
    IntervalJoinExec(
      node.leftKeys,
      node.rightKeys,
      node.joinType,
      node.condition,
      Reach(node.least, node.most),
      node.owner,
      Sides(node.left, node.right).map(timeOf(_, node.owner).name),
      None,
      stateInfo,
      Sides(due(node.left), due(node.right)),
      planLater(node.left),
      planLater(node.right)
    )
  }

  /** The time by which the rows of a side of our own join leave the state. */
  private def timeOf(side: LogicalPlan, owner: OperatorName): Attribute =
    side
      .collectFirst { case d: DropLate if d.owner == owner => d.time }
      .getOrElse(throw new IllegalStateException(s"A side of the join ${owner.name} has no time."))

  private def deduplicateByTime(node: DeduplicateByTime): SparkPlan = {
    val running = runningOperator(Some(node.operator))
    val stateInfo = stateOf(running)
    DeduplicateByTimeExec(
      node.keys,
      node.eventTime,
      node.retentionMs,
      node.isInclusive,
      running.map(_._2),
      running.fold(OperatorBatch.none) { case (q, operator) => q.operatorTimes(operator) },
      stateInfo,
      dueTimes(running, stateInfo),
      planLater(node.child)
    )
  }

  /**
   * The query that the operator of a node is part of, if the node is planned for a batch of that
   * query.
   */
  private def runningOperator(name: Option[String]): Option[(RunningQuery, String)] = for {
    operator <- name
    q <- query.filter(_.operators.exists(_.operator == operator))
  } yield q -> operator

  /** Other expressions need preparation, which Spark does only in its own projections. */
  private def isPlain(e: Expression): Boolean = e.deterministic && !e.exists {
    case _: Attribute                                               => false
    case _: CodegenFallback | _: PlanExpression[_] | _: Unevaluable => true
    case _                                                          => false
  }

  private def dropLate(node: DropLate): SparkPlan = {
    val running = query.filter(_.operators.exists(_.operator == node.operator))
    val late = new LateRows(running.map(_.batchTimes).flatMap(BeforeTheEpoch.note(node, _)))
    session.sparkContext.register(late)
    running.foreach(_.clock.register(node.operator, late))
    val times =
      running.fold(OperatorBatch.none)(_.operatorTimes(node.operator, node.lowestMs))
    val origin = LateOrigin(node.operator, node.input.nodes, running.map(_.name))
    DropLateExec(
      planLater(node.child),
      node.time,
      node.operator,
      node.owner,
      node.key,
      if (node.isPlain) times.copy(lateMs = OperatorBatch.NothingLate) else times,
      node.grid,
      node.eventTime,
      node.substream,
      origin,
      node.isInclusive,
      late,
      for (path <- node.lateRows; q <- running) yield lateFolder(path, node.whole, origin, q),
      node.nullable
    )
  }

  private def lateFolder(
      path: String,
      row: Seq[Attribute],
      origin: LateOrigin,
      query: RunningQuery
  ): LateFolder =
    LateFolder(
      path,
      row,
      query.id,
      origin,
      query.batchId,
      query.batchTimestampMs,
      Settings.MaxLateRowsPerBatch.in(session.sessionState.conf),
      query.lateLeftovers
    )
}
