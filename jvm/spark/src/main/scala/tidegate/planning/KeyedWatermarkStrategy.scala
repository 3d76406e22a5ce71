package tidegate.planning

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.clock.{Leftovers, RunningQuery}
import tidegate.core.clock.{NodeMark, OperatorBatch, SubstreamLimit}
import tidegate.core.{EndOfTime, Saturating}
import tidegate.execution.calls.{AsyncCallsExec, AsyncMapExec, DeadLetterFolder}
import tidegate.execution.{
  DropLateExec,
  KeyedWatermarkExec,
  LateFolder,
  LateOrigin,
  QueryFiles,
  RetagEventTimeExec,
  WatermarksTableExec
}
import tidegate.own.join.Joins
import tidegate.own.{KeptBySpark, KeptBySparkExec, OwnPlanning}
import tidegate.plans.{
  AsyncCalls,
  AsyncMap,
  BoundsFollow,
  DropLate,
  ExplainedQuery,
  KeyedOutput,
  KeyedWatermark,
  PreparedQuery,
  RetagEventTime,
  WatermarksTable
}
import tidegate.preparation.OwnOperators
import tidegate.settings.Settings
import tidegate.statistics.{LateRows, SubstreamStats}

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
          query.map(_.batch).fold(() => Option.empty[NodeMark]) { batch => () =>
            batch.times.node(k.spec.name)
          },
          stats(k)
        )
      )
    case d: DropLate       => Seq(dropLate(d))
    case r: RetagEventTime => Seq(RetagEventTimeExec(r.columns, r.metadata, planLater(r.child)))
    case o: KeyedOutput    =>
      val tagged = o.output.filter(_.exprId == o.eventTime.exprId)
      Seq(RetagEventTimeExec(tagged, tagged.map(_.metadata), planLater(o.child)))
    case KeepNotNull(columns, filter) => Seq(ProjectExec(columns, planLater(filter)))
    case p: PreparedQuery             =>
      val child = closing(Joins.planned(p.child, p.own))
      val numbers = p.decisions.time.places.transform((_, place) => place.state)
      val ordered =
        if (numbers.isEmpty) child
        else OperatorsInOrderExec(numbers, p.decisions.isNumbered, child)
      Seq(query.filter(_.beginning.beginsCheckpoint()).fold(ordered)(FirstBatchExec(_, ordered)))
    case e: ExplainedQuery => Seq(closing(Joins.planned(e.child, e.own)))
    case a: AsyncMap       =>
      val (child, batch) = (planLater(a.child), SparkInternals.batchOf(a, session))
      Seq(AsyncMapExec(a.function, a.options, a.result, a.input, a.output, batch, child))
    case a: AsyncCalls =>
      val folder = a.deadLetters.map(deadLetters)
      Seq(AsyncCallsExec(a.times, a.metadata, a.calls, a.function, folder, planLater(a.child)))
    case w: WatermarksTable => Seq(WatermarksTableExec(w.content, w.query, w.output))
    case k: KeptBySpark     => Seq(KeptBySparkExec(k.reason, planLater(k.child)))
    // No bounds can follow any more; a query whose join lacks them was refused at its start.
    case b: BoundsFollow => Seq(planLater(b.child))
    case node            => own.lift(node).toSeq
  }

  private lazy val own: PartialFunction[LogicalPlan, SparkPlan] = {
    val planning = new OwnPlanning(session, planLater(_))
    OwnOperators.all.map(_.physical(planning)).reduce(_ orElse _)
  }

  private def query: Option[RunningQuery] = RunningQuery.current(session.sparkContext)

  private def closing(plan: LogicalPlan): SparkPlan = {
    val isWanted = Settings.ClosesInSameBatch.in(session.sessionState.conf)
    ClosingExec(isWanted, query.map(_.batch), planLater(plan))
  }

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

  private def dropLate(node: DropLate): SparkPlan = {
    val running = query.filter(_.operators.exists(_.operator == node.operator))
    val late = new LateRows(running.map(_.batchTimes).flatMap(BeforeTheEpoch.note(node, _)))
    session.sparkContext.register(late)
    running.foreach(_.clock.register(node.operator, late))
    val times =
      running.fold(() => OperatorBatch.none)(_.operatorTimes(node.operator, node.lowestMs))
    val origin = LateOrigin(node.operator, node.input.nodes, running.map(_.name))
    DropLateExec(
      planLater(node.child),
      node.time,
      node.operator,
      node.owner,
      node.key,
      if (node.isPlain) () => times().copy(lateMs = OperatorBatch.NothingLate) else times,
      node.grid,
      node.eventTime,
      node.substream,
      origin,
      node.isInclusive,
      late,
      for (path <- node.lateRows; q <- running) yield lateFolder(path, node.whole, origin, q),
      node.nullable,
      node.appends
    )
  }

  private def lateFolder(
      path: String,
      row: Seq[Attribute],
      origin: LateOrigin,
      query: RunningQuery
  ): LateFolder =
    LateFolder(
      QueryFiles(path, origin.operator, query.id, query.batchId, query.leftovers),
      row,
      origin,
      query.batchTimestampMs,
      Settings.MaxLateRowsPerBatch.in(session.sessionState.conf)
    )

  /** In a thread of an application, the batch may be any; a plan for such a thread has none. */
  private def deadLetters(path: String): DeadLetterFolder = DeadLetterFolder(
    path,
    SparkInternals.queryOfThread(session.sparkContext).map { query =>
      QueryFiles(
        path,
        DeadLetterFolder.Name,
        query.id,
        SparkInternals.batchOf(query),
        Leftovers.of(query)
      )
    }
  )
}
