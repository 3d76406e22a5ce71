package tidegate.clock

import java.util.Optional

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.{
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.tidegate.{
  EventTimeReporter,
  LogLine,
  LogsLines,
  MicroBatchExecution,
  NotForRealTime,
  OnlyShown,
  QueryReports,
  StoresAtExit,
  UnseenQuery
}
import tidegate.core.clock.{
  ClockState,
  ClockTimes,
  NodeObservation,
  QueryClock,
  SourceRound,
  TooManySubstreamsException
}
import tidegate.core.figures.{QueryFigures, RunState}
import tidegate.errors.QueryErrors

/**
 * A query's clock as a source without columns, whose offset is the vector of the query's keyed
 * watermarks. All time is in the `QueryClock`; this class reports to it what happens in Spark.
 *
 *   - Spark writes the vector to the offset log before each batch, so that a replayed batch sees
 *     the watermarks that it saw the first time.
 *   - Spark asks for the offset at every trigger, so an advance of the watermark is enough to start
 *     a batch.
 *   - The start offset of a batch has the watermark for late rows, its end offset the one for
 *     eviction.
 *
 * What a batch saw reaches the clock through the statistics that the plan registers. After a
 * restart the last committed batch is observed again, because its statistics were lost with the
 * driver before the next offset could carry them.
 *
 * @param madeAtMs
 *   the wall clock when this object was made, in epoch ms: before any source was asked for anything
 */
final class EventTimeClock(madeAtMs: Long)
    extends ClockSource[RunningQuery]
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics
    with NotForRealTime
    with LogsLines {

  private val totals = new ClockTotals

  @volatile private var query: RunningQuery = _
  private var time: QueryClock = _
  private var frozenAtMs: Option[Long] = None
  private var latest: ClockOffset = _
  private var answered: ClockState = ClockState.empty

  /** Whether a batch of this run has let the clock step within it. */
  private var stepsWithin = false
  private var parsed: (String, ClockOffset) = ("", ClockOffset.empty)
  private lazy val reports = new TimeReports(query, totals)

  override private[clock] def of(execution: MicroBatchExecution): RunningQuery = synchronized {
    if (query == null) query = new RunningQuery(execution, this)
    query
  }

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    if (query == null) {
      query = RunningQuery.current(SparkContext.getOrCreate()).getOrElse {
        throw new IllegalStateException("The clock was asked outside of its query.")
      }
    }
    val begin = start.asInstanceOf[ClockOffset]
    val wallClockMs = query.wallClockMs
    query.useOwnStart(begin)
    val replayed = if (time == null) {
      initialize(begin.state, query.batchId - 1, wallClockMs)
      lastRound()
    } else None
    val round = query.noteRound().orElse(replayed)
    // A reader of the figures waits for this, but not for a batch that is read again.
    synchronized {
      shown("Lines about late rows")(lateLines.tick(query.wallClockMs))
      drainLate()
      val state = limited(
        time.step(
          begin.state,
          observations(),
          round,
          wallClockMs,
          query.triggerStartMs,
          pending.takeDue(),
          stepsWithin
        )
      )
      pending.futureEvents.foreach { case (name, events) => totals.addFutureEvents(name, events) }
      pending.forget()
      time.takeEvents().foreach(event => shown("What happened to time")(reports.add(event)))
      if (time.endsUnflushed) {
        warn(
          LogLine(
            "A source has rows that it does not give yet, as with Kafka's minOffsetsPerTrigger. If " +
              "it gives none now, the run ends and its time does not: another run on the " +
              "checkpoint continues with them, and is flushed when all is read.",
            Map(LogLine.Query -> query.name)
          )
        )
      }
      state.foreach(answered = _)
      state
        .flatMap(_.skipped)
        .foreach(query.skippedBatches.put(query.batchId - 1, begin.state, _, wallClockMs))
      state.fold[Offset](null)(offsetOf(_, begin))
    }
  }

  // Of a batch that an earlier run has begun. If that run has let tasks use a time, they use it again.
  override private[clock] def knownWithin(of: RunningQuery, batchId: Long): Option[ClockTimes] =
    if (time == null) skippedAfter(batchId, of.endState) else None

  override private[clock] def stepWithin(of: RunningQuery, batchId: Long): Option[ClockTimes] = {
    stepsWithin = true
    val end = of.endState
    val isReplay = time == null
    val known = knownWithin(of, batchId)
    if (known.isDefined) known
    // Nothing is known of a batch without rows whose run has ended.
    else if (isReplay && !pending.hasSeen) None
    else {
      if (isReplay) initialize(end, batchId, of.wallClockMs)
      val round =
        if (isReplay) Some(SourceRound.replayed(of.batchTimestampMs)) else of.roundOfBatch
      synchronized {
        val times = limited(time.stepWithin(end, observations(), round, of.batchTimestampMs))
        times.foreach(of.skippedBatches.putNow(batchId, end, _))
        times
      }
    }
  }

  private def limited[T](step: => T): T =
    try step
    catch {
      case e: TooManySubstreamsException => throw QueryErrors.tooManySubstreams(e.limit, e.found)
    }

  /**
   * Returns the same object as long as the state is the same: Spark asks some 95 times a second.
   */
  private def offsetOf(state: ClockState, begin: ClockOffset): ClockOffset =
    if (state eq begin.state) begin
    else {
      if (latest == null || !(latest.state eq state)) latest = new ClockOffset(state)
      latest
    }

  private def skippedAfter(batchId: Long, end: ClockState): Option[ClockTimes] =
    query.skippedBatches.after(batchId, end).map(_.renamed(query.formerNames.names))

  /** Goes on from the state at which a batch of an earlier run has ended, or begins. */
  private def initialize(begin: ClockState, batchId: Long, wallClockMs: Long): Unit = {
    query.beginning.check()
    query.checkAppendTimes()
    // A setting of these that is not valid ends the query here.
    reports: Unit
    lateLines: Unit
    if (!UnseenQuery.isHere(query.session)) KnownQueries.begins(query)
    val made = new QueryClock(
      query.spec,
      begin,
      wallClockMs,
      frozenAtMs,
      startsBatches = !query.noDataBatchesDisabled,
      skippedAfter(batchId, begin)
    )
    if (frozenAtMs.isEmpty) query.spec.nodes.filter(_.flush).foreach { node =>
      warn(
        LogLine(
          s"The watermark `${node.name}` has `flush`, but the trigger of the query is not " +
            "AvailableNow, so nothing is flushed: the last windows stay open. Use " +
            "trigger(availableNow=True) for a run that ends, or leave `flush` out.",
          Map(LogLine.Query -> query.name, LogLine.Watermark -> node.name)
        )
      )
    }
    made.endedNodes.foreach { name =>
      warn(
        LogLine(
          s"The time of the watermark `$name` has ended: an earlier run on this checkpoint was " +
            "flushed. All rows of this run are late. Start it with a new checkpoint, or leave " +
            "`flush` out if the stream continues.",
          Map(LogLine.Query -> query.name, LogLine.Watermark -> name)
        )
      )
    }
    synchronized { time = made }
  }

  /** What is known of the last round before the first one of this run. */
  private def lastRound(): Option[SourceRound] = {
    // A batch that an earlier run has begun was run again, and was seen, before Spark asks for the
    // first time. A sink that had committed this batch has skipped it, and nothing was seen.
    val isSeen = pending.hasSeen
    val lastBatch = query.lastBatch
    lastBatch.filter(_ => isSeen).orElse(query.observeLastBatchAgain()).orElse(lastBatch)
  }

  /** What batches saw since the last step, by node. */
  private def observations(): Map[String, NodeObservation] =
    pending.observe().transform((_, seen) => NodeObservation(seen.all, seen.lateRows))

  private val shown = new OnlyShown

  private lazy val lateLines =
    new LateLines(query.name, query.lateLinesPerMinute, line => warn(line))

  private def drainLate(): Unit = pending.takeLate().foreach { case (operator, late) =>
    totals.addLateRows(operator, late.value)
    totals.addPartlyLate(operator, late.partly)
    totals.addLateness(operator, late.lateness)
    shown("Lines about late rows")(lateLines.add(operator, late, query.wallClockMs))
  }

  override private[clock] def asked[T](question: QueryClock => T): Option[T] = synchronized {
    Option(time).map(question)
  }

  override private[clock] def figures(of: RunningQuery, state: RunState): QueryFigures =
    asked(time => (time.watermarkFigures(detailed = true), time.operatorFigures, time.atMs))
      .fold(QueryFigures(of.ids, state, of.wallClockMs)) { case (watermarks, operators, atMs) =>
        reports.figures(state, watermarks, operators, atMs)
      }

  override private[clock] def progressTimes(
      of: RunningQuery,
      hasBatch: Boolean
  ): Map[String, Long] =
    if (of.hasSparksWatermark) Map.empty
    else {
      val names = of.nodes.map(_.spec.name)
      if (!hasBatch) TimeReports.progressTimes(names, answered.nodes, Map.empty)
      else TimeReports.progressTimes(names, of.batchTimes.end.nodes, pending.times)
    }

  /**
   * Late rows by operator and future events by node, of the batch that has just run. The map can be
   * changed: the reporter completes it.
   */
  override def metrics(latestConsumedOffset: Optional[Offset]): java.util.Map[String, String] = {
    val metrics = new java.util.HashMap[String, String]
    pending.lateRows.foreach { case (name, n) => metrics.put(s"lateRows.$name", n.toString) }
    pending.partlyLate.foreach { case (name, partly) =>
      metrics.put(s"partlyLateRows.$name", partly.rows.toString)
    }
    pending.futureEvents.foreach { case (name, n) =>
      metrics.put(s"futureEvents.$name", n.toString)
    }
    metrics
  }

  override def initialOffset(): Offset = ClockOffset.empty

  override def deserializeOffset(json: String): Offset = synchronized {
    // Spark asks at every trigger, with the text that it got from here.
    if (latest != null && (latest.json eq json)) latest
    else {
      if (parsed._1 != json) {
        val read = ClockOffset.parse(json, running.flatMap(_.offsetFile(json)))
        parsed = json -> running.fold(read)(q => read.renamed(q.formerNames))
      }
      parsed._2
    }
  }

  private def running: Option[RunningQuery] =
    Option(query).orElse(RunningQuery.current(SparkContext.getOrCreate()))

  override private[tidegate] def endsByItself: Boolean = frozenAtMs.isDefined

  /** Called once, by the thread of the query, while Spark makes the query's sources. */
  private lazy val begunAtMs: Long = {
    StoresAtExit.install()
    RunningQuery.ofSources.foreach { execution =>
      EventTimeReporter.install(execution)(QueryReports.later {
        of(execution)
        reports
      })
    }
    madeAtMs.min(RunningQuery.wallClockOfSources)
  }

  /**
   * With `Trigger.AvailableNow` time stands still, because a wall-clock policy would never let the
   * run end. It stands at the moment when this object was made: only later do sources fix where the
   * run ends.
   */
  override def prepareForTriggerAvailableNow(): Unit = frozenAtMs = Some(begunAtMs)

  /** Refused here, because Spark's own error would name only a class. */
  override protected def refuseRealTime(): Nothing = throw QueryErrors.realTimeMode()

  /** What Spark asks first with a trigger that does not end by itself. */
  override def getDefaultReadLimit: ReadLimit = {
    begunAtMs: Unit
    ReadLimit.allAvailable()
  }

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("The clock is asked with its start offset.")

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = Array.empty

  /** Spark asks for a factory when it plans; there is nothing to read. */
  override def createReaderFactory(): PartitionReaderFactory = EventTimeClock.NoRows

  override def commit(end: Offset): Unit = ()

  /**
   * Counts and logs the late rows of the last batch, and leaves behind the last figures, and the
   * watermarks of a batch that was left out.
   */
  override def stop(): Unit = {
    drainLate()
    if (query != null && !UnseenQuery.isHere(query.session))
      shown("The figures of a query that has ended")(KnownQueries.ends(query))
    // Without time the query never had a batch, perhaps because a setting is not valid.
    if (time != null) {
      shown("Lines about late rows")(lateLines.end())
      query.skippedBatches.close()
    }
  }
}

object EventTimeClock {
  private object NoRows extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      throw new UnsupportedOperationException("The clock has no rows.")
  }
}
