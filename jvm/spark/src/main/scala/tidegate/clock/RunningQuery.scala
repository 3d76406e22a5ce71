package tidegate.clock

import java.util.UUID

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.connector.read.streaming.{Offset, SparkDataStream}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.{
  CheckpointLogs,
  MicroBatchExecution,
  MicroBatchExecutionContext,
  OperatorState,
  SparkInternals,
  StatefulOperatorStateInfo,
  StreamExecutionContext,
  StreamProgress
}
import tidegate.columns.{WatermarkFunction, WatermarkSource}
import tidegate.core.clock.{
  BatchTimes,
  ClockState,
  FormerNames,
  InputTime,
  NodeTime,
  OperatorBatch,
  QueryClock,
  QuerySpec,
  SourceRound,
  SubstreamLimit
}
import tidegate.core.figures.{QueryFigures, QueryIds, QueryMemory, RunState, StateSize}
import tidegate.errors.QueryErrors
import tidegate.operators.{KeyedTimes, StatefulOperators}
import tidegate.plans.{DropLate, KeyedWatermark, PreparedQuery, QueryDecisions}
import tidegate.settings.Settings
import tidegate.sources.AppendTimeTopics
import tidegate.statistics.SizedState

/** A streaming query with a clock, as the clock and the planner see it from within a batch. */
final class RunningQuery private[clock] (
    query: MicroBatchExecution,
    private[tidegate] val clock: ClockSource[RunningQuery]
) {

  private def context: StreamExecutionContext = query.getLatestExecutionContext()

  private[clock] def session: SparkSession = query.sparkSession

  /** The figures when the query has ended. */
  private[clock] def lastFigures: QueryFigures =
    clock.figures(this, if (query.exception.isEmpty) RunState.Ended else state)

  /** The figures of this moment, from any thread. */
  def figures: QueryFigures = {
    val isInBatch = query.isActive && query.status.isTriggerActive
    clock.figures(this, state).copy(batchSinceMs = Option.when(isInBatch)(triggerStartMs))
  }

  /** Whether the query runs. */
  private def state: RunState =
    query.exception.map(e => Option(e.cause).getOrElse(e)) match {
      case Some(cause) => RunState.failed(Option(cause.getMessage).getOrElse(cause.toString))
      case None        => if (query.isActive) RunState.Running else RunState.Ended
    }

  /** An empty memory, as large as the session says. */
  private[clock] def newMemory: QueryMemory =
    new QueryMemory(Settings.ProgressBatches.in(conf), Settings.ProgressEvents.in(conf))

  private def conf: SQLConf = SparkInternals.batchSession(query).sessionState.conf

  def ids: QueryIds = RunningQuery.ids(query)

  /** What the log calls the query: the name that the user gave it, or its id. */
  def name: String = Option(query.name).getOrElse(query.id.toString)

  /** The id in the checkpoint. */
  def id: UUID = query.id

  private lazy val prepared: PreparedQuery = query.logicalPlan
    .collectFirst { case p: PreparedQuery => p }
    .getOrElse(throw new IllegalStateException("The query was not prepared when it was started."))

  lazy val nodes: Seq[KeyedWatermark] = prepared.collect { case k: KeyedWatermark => k }

  lazy val operators: Seq[DropLate] = prepared.collect { case d: DropLate => d }

  /** The plan, as it was made ready to start. */
  def plan: LogicalPlan = prepared.child

  /** What was decided at the start. */
  def decisions: QueryDecisions = prepared.decisions

  /** Whether some streams have a watermark of Spark's. */
  lazy val hasSparksWatermark: Boolean = prepared.exists(_.isInstanceOf[EventTimeWatermark])

  /** What the checkpoint calls the operators. */
  def formerNames: FormerNames = prepared.decisions.former

  /** What the plan says about time, and the session about the number of substreams. */
  lazy val spec: QuerySpec = {
    val columns = nodes.map(n => n.spec.name -> n.substream.map(_.name)).toMap
    val max = Settings.MaxSubstreams.in(conf)
    val forgetAfter = Settings.ForgetAfter.in(conf)
    val stall = Some(Settings.StallWarning.in(conf)).filter(_ > 0)
    prepared.decisions.time.copy(nodes = prepared.decisions.time.nodes.map { node =>
      node.copy(
        hasParts = rounds.hasParts(node.name),
        limit = SubstreamLimit(node.name, columns(node.name), max),
        forgetAfterMs = Some(forgetAfter),
        stallMs = stall
      )
    })
  }

  /** Where one of our own operators keeps its state. */
  def stateInfo(operator: String): StatefulOperatorStateInfo = OperatorState.info(
    context.executionPlan,
    StatefulOperators.ownId(query.logicalPlan, operator)
  )

  def wallClockMs: Long = query.triggerClock.getTimeMillis()

  /** When the trigger began, in epoch ms: before Spark asked any source. */
  def triggerStartMs: Long = context match {
    case c: MicroBatchExecutionContext => c.getStartTime()
    case _                             => wallClockMs
  }

  /** Whether the log may show values of rows. */
  lazy val showsValues: Boolean = Settings.LogValues.in(conf)

  /** How many late rows the log describes in a minute: even their times are values of rows. */
  lazy val lateLinesPerMinute: Int =
    if (showsValues) Settings.LateLogLinesPerMinute.in(conf) else 0

  lazy val noDataBatchesDisabled: Boolean = !conf.streamingNoDataMicroBatchesEnabled

  /** The file in the checkpoint that has an offset with this text, of the latest batches. */
  def offsetFile(json: String): Option[String] =
    new CheckpointLogs(query.resolvedCheckpointRoot, SparkInternals.batchSession(query))
      .fileWith(json)

  /** What is known of the last batch that this run has completed; if none, it is of another run. */
  def lastBatch: Option[SourceRound] = context match {
    case c: MicroBatchExecutionContext =>
      c.previousContext.map(b => SourceRound.replayed(b.offsetSeqMetadata.batchTimestampMs))
    case _ => None
  }

  /** The batch that was last planned, by its plan. */
  private var planned = Option.empty[(AnyRef, RunningBatch)]

  /**
   * The batch that is being planned, or runs.
   *
   * @throws AnalysisException
   *   if a watermark would go back in this batch
   */
  def batch: RunningBatch = synchronized {
    val c = context
    planned.collect { case (plan, batch) if plan eq c.executionPlan => batch }.getOrElse {
      val times = timesOf(c)
      val batch = new RunningBatch(
        times,
        rounds.hasMoved(c) || times.looks,
        clock.knownWithin(this, c.batchId),
        () => clock.stepWithin(this, c.batchId)
      )
      planned = Some(c.executionPlan -> batch)
      batch
    }
  }

  /** The state at which the batch that runs ends, as the offset log has it. */
  private[clock] def endState: ClockState = own(context.endOffsets).state

  private def timesOf(c: StreamExecutionContext): BatchTimes = {
    val times = BatchTimes(own(c.startOffsets).state, own(c.endOffsets).state)
    times.wentBack.foreach { case (name, before, after) =>
      throw QueryErrors.watermarkWentBack(
        name,
        before.key,
        before.watermarkMs.getOrElse(Long.MinValue),
        after.watermarkMs.getOrElse(Long.MinValue)
      )
    }
    times
  }

  /** The watermarks of the batch that is being planned, or runs, as they are now. */
  def batchTimes: BatchTimes = batch.times

  /**
   * The watermarks of an operator in the batch that is being planned: they are final once the
   * operator is executed.
   */
  def operatorTimes(
      operator: String,
      lowestMs: Long = OperatorBatch.NothingLate
  ): () => OperatorBatch = {
    val (ofBatch, ofOperator) = (batch, spec.operators.find(_.name == operator))
    () => ofBatch.times.operator(operator, ofOperator, lowestMs)
  }

  /** Begins the checkpoint, or goes on with it. */
  lazy val beginning = new Beginning(query, decisions.isNew)

  /** What earlier runs have left in folders. */
  def leftovers: Leftovers = Leftovers.of(query)

  /** What is kept of batches that have moved time within themselves, or were left out. */
  private[clock] lazy val skippedBatches =
    new SkippedBatches(query.resolvedCheckpointRoot, SparkInternals.batchSession(query))

  /** The number of the batch that is being planned. */
  def batchId: Long = context.batchId

  /** The wall clock of the batch that is being planned, in epoch ms. */
  def batchTimestampMs: Long = context.offsetSeqMetadata.batchTimestampMs

  /**
   * The watermark below which rows are late in the batch that is being planned, in epoch ms; `None`
   * before the first.
   */
  def watermarkMs(source: WatermarkSource): Option[Long] =
    inputOf(source).flatMap(QueryClock.timeIn(spec, batchTimes.late, _).watermarkMs)

  /**
   * Inside `foreachBatch` there is no plan to look at, so a name or a key is resolved against the
   * output of the query.
   */
  private def inputOf(source: WatermarkSource): Option[InputTime] =
    source.input
      .orElse(source.node.map(NodeTime(_)))
      .orElse(source.key.flatMap(KeyedTimes.of(prepared.child).get))

  private def own(progress: StreamProgress): ClockOffset =
    progress.get(clock).fold(ClockOffset.empty) {
      case offset: ClockOffset => offset
      case serialized          => clock.deserializeOffset(serialized.json).asInstanceOf[ClockOffset]
    }

  /**
   * After a restart Spark holds the start as text and compares it as text: with our own type in its
   * place, only a change that can affect a result starts a batch. Before the first offset Spark has
   * no start, and would start a batch for any offset: that is right only if the query shows its
   * watermark.
   */
  def useOwnStart(begin: ClockOffset): Unit = {
    val c = context
    val isForeign = c.startOffsets.get(clock) match {
      case Some(offset) => !offset.isInstanceOf[ClockOffset]
      case None         => noDataBatchesDisabled || !showsWatermark
    }
    if (isForeign) {
      c.startOffsets = c.startOffsets ++ Map[SparkDataStream, Offset](clock -> begin)
    }
  }

  /** Whether a function of the query asks for a watermark. */
  private lazy val showsWatermark: Boolean =
    prepared.exists(_.expressions.exists(_.exists(_.isInstanceOf[WatermarkFunction])))

  private lazy val rounds = new SourceRounds(nodes, clock, clock.endsByItself)

  /** As [[SourceRounds.note]], for the round that begins. */
  def noteRound(): Option[SourceRound] = rounds.note(context)

  /** What the sources have said in the round whose batch runs; `None` if the run began with it. */
  private[clock] def roundOfBatch: Option[SourceRound] = rounds.ofBatch

  /** How many rows of each substream are not read, where the source reports it. */
  private[tidegate] def unreadRows(node: String): Map[String, Long] = rounds.unreadRows(node)

  /** How large the states of the operators were after the last batch, by name. */
  private[clock] def stateSizes: Map[String, StateSize] = {
    for {
      plan <- SparkInternals.lastPlan(query).toSeq
      operator <- plan.collect { case s: SizedState => s }
      size <- operator.stateSize.toSeq
      name <- operator.names
    } yield name -> size
  }.toMap

  /** Verifies that topics whose timestamps are used as append times use `LogAppendTime`. */
  def checkAppendTimes(): Unit = AppendTimeTopics.check(query.logicalPlan)

  /**
   * Reads the last committed batch through the watermark nodes once more, after a restart. Returns
   * what is known of its round, if there was such a batch.
   */
  def observeLastBatchAgain(): Option[SourceRound] =
    new CommittedBatch(query, clock, context.batchId - 1).observe().map(SourceRound.replayed)
}

object RunningQuery {

  private[tidegate] def ids(query: StreamingQuery): QueryIds =
    QueryIds(Option(query.name), query.id, query.runId)

  /** The query on whose behalf this thread works in the active session, if it has a clock. */
  def active: Option[RunningQuery] = SparkInternals.activeContext.flatMap(current(_))

  /** The query on whose behalf this thread plans or asks, if it has a clock. */
  def current(context: SparkContext): Option[RunningQuery] =
    SparkInternals.activeQuery(context).flatMap(of)

  /** The query whose sources this thread makes; the query has no plan yet. */
  private[clock] def ofSources: Option[MicroBatchExecution] =
    SparkInternals.activeContext.flatMap(SparkInternals.activeQuery)

  /** The wall clock of the query whose sources this thread makes, in epoch ms. */
  def wallClockOfSources: Long =
    ofSources.fold(System.currentTimeMillis())(_.triggerClock.getTimeMillis())

  /** A query, if it has a clock. */
  def of(query: MicroBatchExecution): Option[RunningQuery] =
    query.logicalPlan.collectFirst {
      case StreamingDataSourceV2ScanRelation(
            _,
            _,
            _,
            clock: ClockSource[RunningQuery @unchecked],
            _,
            _
          ) =>
        clock.of(query)
    }
}
