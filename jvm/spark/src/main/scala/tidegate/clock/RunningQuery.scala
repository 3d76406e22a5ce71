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
import tidegate.columns.{InputTime, NodeTime, WatermarkFunction, WatermarkSource, WindowGrid}
import tidegate.operators.{KeyedTimes, StatefulOperators}
import tidegate.plans.{DropLate, KeyedWatermark}
import tidegate.preparation.PlanFrames
import tidegate.sources.{AppendTimeTopics, SourceParts}
import tidegate.statistics.SubstreamLimit

/** A streaming query with a clock, as the clock and the planner see it from within a batch. */
final class RunningQuery private (query: MicroBatchExecution, val clock: EventTimeClock) {

  private def context: StreamExecutionContext = query.getLatestExecutionContext()

  lazy val nodes: Seq[KeyedWatermark] = query.logicalPlan.collect { case k: KeyedWatermark => k }

  lazy val operators: Seq[DropLate] = query.logicalPlan.collect { case d: DropLate => d }

  /** The windows that are put together from frames, by their operator. */
  lazy val frames: Map[String, WindowGrid] = PlanFrames.in(query.logicalPlan)

  /** Where an operator of ours has its state. */
  def stateInfo(operator: String): StatefulOperatorStateInfo = OperatorState.info(
    context.executionPlan,
    StatefulOperators.ownId(query.logicalPlan, operator)
  )

  /**
   * The nodes over a stateful input: it cannot be read again after a restart. What a policy with a
   * wall clock remembers differs after every batch, and would make batches without end.
   */
  lazy val exactNodes: Set[String] =
    nodes
      .filter(n => StatefulOperators.existIn(n.left) && !n.spec.policy.create().dependsOnWallClock)
      .map(_.spec.name)
      .toSet

  def wallClockMs: Long = query.triggerClock.getTimeMillis()

  /** When the trigger began, in epoch ms: before it asked any source. */
  def triggerStartMs: Long = context match {
    case c: MicroBatchExecutionContext => c.getStartTime()
    case _                             => wallClockMs
  }

  lazy val noDataBatchesDisabled: Boolean =
    !SparkInternals.batchSession(query).sessionState.conf.streamingNoDataMicroBatchesEnabled

  /** Whether this run has completed a batch; if not, the last one was that of an earlier run. */
  def hasRunABatch: Boolean = context match {
    case c: MicroBatchExecutionContext => c.previousContext.isDefined
    case _                             => false
  }

  /** The watermarks of the batch that is being planned. */
  def batchTimes: BatchTimes = {
    val c = context
    BatchTimes(
      own(c.startOffsets).getOrElse(ClockOffset.empty),
      own(c.endOffsets).getOrElse(ClockOffset.empty),
      c.offsetSeqMetadata.batchTimestampMs
    ).checkMonotonic()
  }

  /**
   * The watermark below which rows are late in the batch that is being planned, in epoch ms; `None`
   * before the first.
   */
  def watermarkMs(source: WatermarkSource): Option[Long] = {
    val start = batchTimes.start
    def node(name: String) = {
      val mark = start.nodes.get(name)
      Time(mark.flatMap(_.watermarkMs), mark.exists(_.idle), name)
    }
    inputOf(source).flatMap(new OperatorTimes(node, start.unions).time(_).watermarkMs)
  }

  /** A frame in `foreachBatch` knows only a name or a key: it is that of the query's result. */
  private def inputOf(source: WatermarkSource): Option[InputTime] =
    source.input
      .orElse(source.node.map(NodeTime(_)))
      .orElse(source.key.flatMap(KeyedTimes.of(query.logicalPlan).get))

  /** The times that functions of the query ask for. */
  lazy val asked: Seq[InputTime] = query.logicalPlan
    .flatMap(_.expressions.flatMap(_.collect { case f: WatermarkFunction => f.source.input }))
    .flatten
    .distinct

  private def own(progress: StreamProgress): Option[ClockOffset] =
    progress.get(clock).map {
      case offset: ClockOffset => offset
      case serialized          => clock.deserializeOffset(serialized.json).asInstanceOf[ClockOffset]
    }

  /**
   * After a restart Spark holds the start as text and compares it as text: put our own type there,
   * so that only what can change a result starts a batch.
   */
  def useOwnStart(begin: ClockOffset): Unit = {
    val c = context
    if (c.startOffsets.get(clock).exists(!_.isInstanceOf[ClockOffset])) {
      c.startOffsets = c.startOffsets ++ Map[SparkDataStream, Offset](clock -> begin)
    }
  }

  private var lastRound: Option[StreamExecutionContext] = None

  /** How many substreams a node may have. */
  def limit(node: KeyedWatermark): SubstreamLimit =
    SubstreamLimit.of(node, SparkInternals.batchSession(query).sessionState.conf)

  /** The nodes whose sources tell of their substreams. */
  lazy val parts: Map[String, SourceParts] =
    nodes.flatMap(n => SourceParts.of(n).map(n.spec.name -> _)).toMap

  /**
   * To be called once in every round of asking the sources for their offsets. Returns what they
   * said in the round before, if there was one: what they say in this one is not known yet.
   *
   * A source that reports nothing and reads with a limit is taken to have more, unless it had
   * nothing new, or fewer files than its limit.
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

  /** Asks the topics whose times are taken for append times whether they are. */
  def checkAppendTimes(): Unit = AppendTimeTopics.check(query.logicalPlan)

  /** Reads the last committed batch through the watermark nodes once more, after a restart. */
  def observeLastBatchAgain(): Unit = new CommittedBatch(query, context.batchId - 1).observe()
}

object RunningQuery {

  /** The same, of the only context there is. */
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
        new RunningQuery(query, clock)
    }
}
