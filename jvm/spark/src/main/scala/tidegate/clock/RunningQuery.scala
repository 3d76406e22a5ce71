package tidegate.clock

import org.apache.spark.SparkContext
import org.apache.spark.sql.connector.read.streaming.{
  Offset,
  ReadLimit,
  ReadMaxFiles,
  SparkDataStream,
  SupportsAdmissionControl
}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelationWithTable}
import org.apache.spark.sql.tidegate.{
  MicroBatchExecution,
  MicroBatchExecutionContext,
  OperatorState,
  SparkInternals,
  StatefulOperatorStateInfo,
  StreamExecutionContext,
  StreamProgress
}
import tidegate.columns.WatermarkSource
import tidegate.core.clock.{
  BatchTimes,
  InputTime,
  NodeTime,
  QueryClock,
  QuerySpec,
  SourceRound,
  SubstreamLimit
}
import tidegate.errors.QueryErrors
import tidegate.operators.{KeyedTimes, StatefulOperators}
import tidegate.plans.{DropLate, KeyedWatermark, PreparedQuery}
import tidegate.settings.Settings
import tidegate.sources.{AppendTimeTopics, SourceParts}

/** A streaming query with a clock, as the clock and the planner see it from within a batch. */
final class RunningQuery private[clock] (query: MicroBatchExecution, val clock: EventTimeClock) {

  private def context: StreamExecutionContext = query.getLatestExecutionContext()

  private lazy val prepared: PreparedQuery = query.logicalPlan
    .collectFirst { case p: PreparedQuery => p }
    .getOrElse(throw new IllegalStateException("The query was not prepared when it was started."))

  lazy val nodes: Seq[KeyedWatermark] = prepared.collect { case k: KeyedWatermark => k }

  lazy val operators: Seq[DropLate] = prepared.collect { case d: DropLate => d }

  /** What the plan says about time, and the session about the number of substreams. */
  lazy val spec: QuerySpec = {
    val conf = SparkInternals.batchSession(query).sessionState.conf
    val columns = nodes.map(n => n.spec.name -> n.substream.map(_.name)).toMap
    val max = Settings.MaxSubstreams.in(conf)
    prepared.decisions.time.copy(nodes = prepared.decisions.time.nodes.map { node =>
      node.copy(
        hasParts = parts.contains(node.name),
        limit = SubstreamLimit(node.name, columns(node.name), max)
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

  lazy val noDataBatchesDisabled: Boolean =
    !SparkInternals.batchSession(query).sessionState.conf.streamingNoDataMicroBatchesEnabled

  /** Whether this run has completed a batch; if not, the last batch is of an earlier run. */
  def hasRunABatch: Boolean = context match {
    case c: MicroBatchExecutionContext => c.previousContext.isDefined
    case _                             => false
  }

  /**
   * The watermarks of the batch that is being planned.
   *
   * @throws AnalysisException
   *   if a watermark would go back in this batch
   */
  def batchTimes: BatchTimes = {
    val c = context
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

  /** The wall clock of the batch that is being planned, in epoch ms. */
  def batchTimestampMs: Long = context.offsetSeqMetadata.batchTimestampMs

  /**
   * The watermark below which rows are late in the batch that is being planned, in epoch ms; `None`
   * before the first.
   */
  def watermarkMs(source: WatermarkSource): Option[Long] =
    inputOf(source).flatMap(QueryClock.timeIn(spec, batchTimes.start, _).watermarkMs)

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
   * place, only a change that can affect a result starts a batch.
   */
  def useOwnStart(begin: ClockOffset): Unit = {
    val c = context
    if (c.startOffsets.get(clock).exists(!_.isInstanceOf[ClockOffset])) {
      c.startOffsets = c.startOffsets ++ Map[SparkDataStream, Offset](clock -> begin)
    }
  }

  private var lastRound: Option[StreamExecutionContext] = None

  /** The parts of those nodes whose sources report their substreams. */
  private lazy val parts: Map[String, SourceParts] =
    nodes.flatMap(n => SourceParts.of(n).map(n.spec.name -> _)).toMap

  /**
   * To be called once in every round, when Spark asks the sources for their offsets. Returns what
   * the sources said in the round before, if there was one: their answers in this round are not
   * known yet.
   *
   * A source that reports nothing and reads with a limit counts as having more rows, unless it had
   * nothing new, or read fewer files than its limit.
   */
  def noteRound(): Option[SourceRound] = {
    val before = lastRound.map { c =>
      SourceRound(
        hasReadEverything(c),
        dataSources(c).exists(hasMoved(c, _)),
        c.offsetSeqMetadata.batchTimestampMs,
        parts.map { case (name, p) => name -> p.unread(c) }
      )
    }
    lastRound = Some(context)
    before
  }

  private def dataSources(c: StreamExecutionContext): Iterator[SparkDataStream] =
    c.endOffsets.keysIterator.filterNot(_ eq clock)

  private def hasMoved(c: StreamExecutionContext, source: SparkDataStream): Boolean =
    c.startOffsets.get(source).forall(_.json != c.endOffsets(source).json)

  private def hasReadEverything(c: StreamExecutionContext): Boolean =
    dataSources(c).forall { source =>
      val end = c.endOffsets.get(source)
      c.latestOffsets.get(source) match {
        case Some(reported) => end.exists(_.json == reported.json)
        case None           => unreported(c, source)
      }
    }

  private def unreported(c: StreamExecutionContext, source: SparkDataStream): Boolean =
    source match {
      case s: SupportsAdmissionControl if s.getDefaultReadLimit != ReadLimit.allAvailable() =>
        !hasMoved(c, source) || (s.getDefaultReadLimit match {
          case limit: ReadMaxFiles => filesRead(c, source).exists(_ < limit.maxFiles())
          case _                   => false
        })
      case _ => true
    }

  /** The number of files of a batch, if it has run and its source reads files. */
  private def filesRead(c: StreamExecutionContext, source: SparkDataStream): Option[Int] =
    for {
      batches <- Option(c.newData)
      plan <- batches.get(source)
      files = plan.collect { case LogicalRelationWithTable(r: HadoopFsRelation, _) =>
        r.location.inputFiles.length
      }
      if files.nonEmpty
    } yield files.sum

  /** Verifies that topics whose timestamps are used as append times use `LogAppendTime`. */
  def checkAppendTimes(): Unit = AppendTimeTopics.check(query.logicalPlan)

  /** Reads the last committed batch through the watermark nodes once more, after a restart. */
  def observeLastBatchAgain(): Unit = new CommittedBatch(query, context.batchId - 1).observe()
}

object RunningQuery {

  /** The query on whose behalf this thread works in the active session, if it has a clock. */
  def active: Option[RunningQuery] = SparkInternals.activeContext.flatMap(current(_))

  /** The query on whose behalf this thread plans or asks, if it has a clock. */
  def current(context: SparkContext): Option[RunningQuery] =
    SparkInternals.activeQuery(context).flatMap(of)

  /** The wall clock of the query whose sources this thread makes, in epoch ms. */
  def wallClockOfSources: Long =
    SparkInternals.activeContext
      .flatMap(SparkInternals.activeQuery)
      .fold(System.currentTimeMillis())(_.triggerClock.getTimeMillis())

  /** A query, if it has a clock. */
  def of(query: MicroBatchExecution): Option[RunningQuery] =
    query.logicalPlan.collectFirst {
      case StreamingDataSourceV2ScanRelation(_, _, _, clock: EventTimeClock, _, _) =>
        clock.of(query)
    }
}
