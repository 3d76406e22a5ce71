package tidegate.clock

import java.util.Optional
import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.tidegate.NotForRealTime
import tidegate.errors.QueryErrors
import tidegate.plans.KeyedWatermark
import tidegate.statistics.{LateRows, SubstreamStats}

/**
 * A query's clock: a source without columns, whose offset is the vector of the query's keyed
 * watermarks.
 *
 *   - Spark writes the vector to the offset log before each batch, so that a replayed batch sees
 *     the watermarks that it saw the first time.
 *   - Spark asks for the offset at every trigger, so that an advance starts a batch by itself.
 *   - The start of a batch is the watermark for late rows, its end the one for eviction.
 *
 * What a batch saw reaches the clock through the statistics that the plan registers. After a
 * restart the last committed batch is observed again, as its statistics died with the driver before
 * the next offset could carry them.
 *
 * @param madeAtMs
 *   the wall clock when it was made, in epoch ms: before any source was asked for anything
 */
final class EventTimeClock(madeAtMs: Long)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics
    with NotForRealTime
    with Logging {

  private val pending = new ConcurrentLinkedQueue[(KeyedWatermark, SubstreamStats)]()
  private val pendingLate = new ConcurrentLinkedQueue[(String, LateRows)]()
  private val totals = new ClockTotals

  private var query: RunningQuery = _
  private var nodes: SortedMap[String, NodeClock] = _
  private var operators = Map.empty[String, OperatorMark]
  private var unions = Map.empty[String, Long]
  private var frozenNowMs: Option[Long] = None
  private var nowMs = 0L

  /** No source was asked earlier in the last round than this. */
  private var polledFromMs: Option[Long] = None
  private var caughtUpAtMs: Option[Long] = None
  private var latest: ClockOffset = _
  private var latestVersion = -1L
  private var parsed: (String, ClockOffset) = ("", ClockOffset.empty)

  /** Takes part in the clock's next answer: the statistics of a plan that is about to run. */
  def register(node: KeyedWatermark, stats: SubstreamStats): Unit = pending.add(node -> stats)

  /** The late rows of an operator in a plan that is about to run. */
  def register(operator: String, late: LateRows): Unit = pendingLate.add(operator -> late)

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    if (query == null) {
      query = RunningQuery.current(SparkContext.getOrCreate()).getOrElse {
        throw new IllegalStateException("The clock was asked outside of its query.")
      }
    }
    val begin = start.asInstanceOf[ClockOffset]
    readWallClock()
    query.useOwnStart(begin)
    if (nodes == null) initialize(begin)
    val round = query.noteRound()
    // Not when the clock was asked: a source before it may have reported less than there was then.
    if (round.exists(_.isReadUp)) caughtUpAtMs = polledFromMs
    // A reader of the view waits for this, but not for a batch that is read again.
    val offset = synchronized {
      // What was not read yet holds back what was.
      for (r <- round; (name, unread) <- r.unread) {
        nodes(name).expect(unread, polledFromMs.get)
      }
      observePending(round)
      nodes.values.foreach(_.tick(nowMs, caughtUpAtMs))
      val looks = lookForEnd(begin, round)
      if (nodes.values.forall(_.isUntouched)) null else offsetAfter(begin, looks)
    }
    val fromMs = query.triggerStartMs.min(nowMs)
    polledFromMs = Some(polledFromMs.fold(fromMs)(math.max(_, fromMs)))
    offset
  }

  /** The same object as long as nothing changes: Spark asks some 95 times a second. */
  private def offsetAfter(begin: ClockOffset, looks: Long): ClockOffset = {
    val version = nodes.values.map(_.version).sum + looks
    if (version != latestVersion) {
      val times = operatorTimes
      operators = times.advance(query.operators, query.frames, operators)
      // What a function asks for is remembered too, so that it does not fall.
      query.asked.foreach(times.time)
      unions = times.coalesced
      latest = new ClockOffset(
        nodes.map { case (name, n) =>
          name -> NodeMark(n.spec.key, n.watermarkMs, n.isIdle)
        },
        operators,
        unions,
        nodes.map { case (name, n) => name -> n.snapshot },
        savedAtMs = nowMs,
        exact = query.exactNodes,
        passive = query.noDataBatchesDisabled && !isEnding,
        looks = looks
      )
      latestVersion = version
    }
    if (latest == null) begin else latest
  }

  /** Whether this run ends by itself, and time with it. */
  private def isEnding: Boolean = frozenNowMs.isDefined && nodes.values.exists(_.spec.flush)

  /**
   * A run that ends by itself does so when nothing is new, and nobody is told. So as long as it is
   * not known that all was read, a look that differs from the last one asks for another batch.
   *
   * A source may keep rows to itself for a while, such as Kafka's with `minOffsetsPerTrigger`: then
   * the run ends, as it would without a clock, and time does not.
   */
  private def lookForEnd(begin: ClockOffset, round: Option[SourceRound]): Long =
    if (!isEnding || nodes.values.forall(n => !n.spec.flush || n.isAtEnd)) begin.looks
    else
      round match {
        case Some(r) if r.isReadUp =>
          nodes.values.foreach(n => if (n.spec.flush) n.end())
          begin.looks
        case Some(r) if !r.isNew =>
          logWarning(
            "A source has rows that it does not give yet, as with Kafka's minOffsetsPerTrigger. If " +
              "it gives none now, the run ends and its time does not: another run on the " +
              "checkpoint goes on with them, and is flushed when all is read."
          )
          begin.looks
        case _ => begin.looks + 1
      }

  private def initialize(begin: ClockOffset): Unit = {
    query.checkAppendTimes()
    val pausedMs = math.max(0L, nowMs - begin.savedAtMs)
    val restored = SortedMap.from(query.nodes.map { node =>
      val name = node.spec.name
      name -> new NodeClock(
        node.spec,
        begin.states.getOrElse(name, NodeState.empty),
        begin.nodes.get(name).flatMap(_.watermarkMs),
        pausedMs,
        nowMs,
        query.parts.contains(name),
        query.limit(node)
      )
    })
    latestVersion = restored.values.map(_.version).sum + begin.looks
    restored.foreach { case (name, node) =>
      if (node.isAtEnd) {
        logWarning(
          s"The time of the watermark `$name` has ended: an earlier run on this checkpoint was " +
            "flushed. All rows of this run are late. Start it with a new checkpoint, or leave " +
            "`flush` out if the stream goes on."
        )
      }
    }
    if (!query.hasRunABatch) query.observeLastBatchAgain()
    synchronized {
      operators = begin.operators
      unions = begin.unions
      nodes = restored
    }
  }

  private def observePending(round: Option[SourceRound]): Unit = {
    val seenAtMs = round.fold(nowMs)(_.endedMs.min(nowMs))
    drain(pending).groupMap(_._1.spec.name)(identity).foreach { case (name, registered) =>
      val merged = registered.map(_._2).reduce { (a, b) => a.merge(b); a }
      totals.addFutureEvents(name, merged.futureEvents)
      nodes(name).observe(merged.all, seenAtMs, nowMs)
    }
    drainLate()
  }

  private def drainLate(): Unit = drain(pendingLate).foreach { case (operator, late) =>
    totals.addLateRows(operator, late.value)
    late.samples.foreach(sample => logWarning(sample))
  }

  private def drain[T](queue: ConcurrentLinkedQueue[T]): Seq[T] =
    Iterator.continually(queue.poll()).takeWhile(_ != null).toVector

  /** A wall clock that jumps back stands still until it has caught up. */
  private def readWallClock(): Unit = {
    nowMs = math.max(nowMs, frozenNowMs.getOrElse(query.wallClockMs))
  }

  /** What a user may see of the clock now, from any thread. */
  def view: ClockView = synchronized {
    ClockView(
      Option(nodes).fold(Map.empty[String, NodeView])(_.toMap.map { case (name, n) =>
        val mark = NodeMark(n.spec.key, n.watermarkMs, n.isIdle)
        name -> NodeView(mark, n.views, n.heldBackBy, totals.futureEvents(name))
      }),
      if (nodes == null) Map.empty else operatorViews
    )
  }

  private def operatorViews: Map[String, OperatorView] = {
    val times = operatorTimes
    for (op <- query.operators.iterator; mark <- operators.get(op.operator))
      yield op.operator -> OperatorView(
        mark,
        op.time.name,
        times.time(op.input).heldBackBy,
        op.eviction.map(times.time(_).heldBackBy),
        totals.lateRows(op.operator)
      )
  }.toMap

  private def operatorTimes: OperatorTimes =
    new OperatorTimes(
      name => Time(nodes(name).watermarkMs, nodes(name).isIdle, name),
      unions
    )

  /** What grows with the number of substreams, for the benchmark of the clock's memory. */
  private[tidegate] def retained: Seq[AnyRef] = Seq[AnyRef](nodes, latest, parsed)

  /** Late rows by operator and future events by node, of the batch that has just run. */
  override def metrics(latestConsumedOffset: Optional[Offset]): java.util.Map[String, String] = {
    val late = pendingLate.asScala.toSeq
      .groupMapReduce { case (operator, _) => s"lateRows.$operator" }(_._2.value)(_ + _)
    val future = pending.asScala.toSeq
      .groupMapReduce { case (node, _) => s"futureEvents.${node.spec.name}" }(_._2.futureEvents)(
        math.max
      )
    (late ++ future).map { case (name, n) => name -> n.toString }.asJava
  }

  override def initialOffset(): Offset = ClockOffset.empty

  override def deserializeOffset(json: String): Offset = synchronized {
    // Spark asks at every trigger, with the text that it got from here.
    if (latest != null && (latest.json eq json)) latest
    else {
      if (parsed._1 != json) parsed = json -> ClockOffset.parse(json)
      parsed._2
    }
  }

  /**
   * With `Trigger.AvailableNow` time stands still, or a wall-clock policy would never end: at the
   * moment when the clock was made, as from then on sources say where the run ends.
   */
  override def prepareForTriggerAvailableNow(): Unit = frozenNowMs = Some(madeAtMs)

  /** Refused here, as Spark would name only a class. */
  override protected def refuseRealTime(): Nothing = throw QueryErrors.realTimeMode()

  override def getDefaultReadLimit: ReadLimit = ReadLimit.allAvailable()

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("The clock is asked with its start offset.")

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = Array.empty

  /** Asked for at planning, so it is made; it has nothing to read. */
  override def createReaderFactory(): PartitionReaderFactory = EventTimeClock.NoRows

  override def commit(end: Offset): Unit = ()

  /** The late rows of the last batch are still to be told. */
  override def stop(): Unit = drainLate()

  override def toString: String = ClockTable.Name
}

object EventTimeClock {
  private object NoRows extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      throw new UnsupportedOperationException("The clock has no rows.")
  }
}
