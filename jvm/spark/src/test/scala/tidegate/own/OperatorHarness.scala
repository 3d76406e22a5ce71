package tidegate
package own

import java.nio.file.{Files, Path}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.execution.{RDDScanExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{
  Feed,
  StateStoreWriter,
  StatefulOperatorStateInfo,
  TestBatches,
  TestClock
}
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.clock.{ClockOffset, RunningBatch}
import tidegate.core.EndOfTime
import tidegate.core.clock._
import tidegate.execution.{DropLateExec, KeyedWatermarkExec}
import tidegate.operators.StatefulOperators
import tidegate.own.asof.StreamAsOfJoinExec
import tidegate.own.deduplication.DeduplicateByTimeExec
import tidegate.own.join.IntervalJoinExec
import tidegate.own.order.EventTimeOrderExec
import tidegate.own.over.OverAggregateExec
import tidegate.own.sessions.SessionAggregateExec
import tidegate.own.windows.FrameAggregateExec
import tidegate.planning.ClosingExec
import tidegate.plans.{DropLate, KeyedWatermark, PreparedQuery}
import tidegate.preparation.PrepareStreamingQuery
import tidegate.settings.Settings
import tidegate.statistics.{DonePartitions, DueTimes, LateRows, SubstreamStats}

/**
 * Stateful operators as a query runs them, without a stream: the plan is that of the query's start,
 * the clock is that of the core, and each batch is a job of Spark over rows in memory. A batch
 * takes some milliseconds, where a stream takes a tenth of a second.
 *
 * As in Spark, a batch reads all that its sources have, and a batch without rows runs if a
 * watermark has moved that an operator waits for. A restart forgets all but the checkpoint: the
 * state is read from its files, and the last committed batch is observed again.
 *
 * What only a stream has stays with streams: the log, the progress, triggers that end by
 * themselves.
 *
 * @param frame
 *   the query, over feeds; evaluated at each start
 */
final class OperatorHarness(
    frame: => DataFrame,
    val checkpoint: Path,
    mode: OutputMode = OutputMode.Append(),
    val clock: TestClock = new TestClock(1000000000L)
)(implicit session: SparkSession)
    extends CollectedBatches {
  import OperatorHarness._

  /**
   * Which batches are killed. Every other one is killed in a task, the others after their tasks.
   */
  var failIn: Long => Boolean = _ => false

  // What is in the checkpoint.
  private var entries = Vector.empty[Entry]
  private var committed = Option.empty[Entry]
  private var stateIds: StateIds = Map.empty
  private var skipped = Option.empty[ClockTimes]

  /** By batch, the times to which it has come within itself. */
  private var within = Map.empty[Long, ClockTimes]

  /** What the last committed batch has seen: after a restart, the batch is observed again. */
  private var lastSeen = Map.empty[String, NodeObservation]

  private var run: HarnessRun = _
  private var lastPlan = Option.empty[SparkPlan]
  private var figures = Vector.empty[Map[String, Long]]

  /** Whether the last start has come to a batch that was killed. */
  def failed: Boolean = run.hasFailed

  /** Starts as a query does: with the decisions of its plan, its settings and its checkpoint. */
  def start(): this.type = {
    stop()
    begin(new Planned)
  }

  /** The same again on what is in the checkpoint, with the plan of the last start, if any. */
  def restart(): this.type =
    if (run == null) start()
    else {
      run.planned.batches.restart()
      begin(run.planned)
    }

  private def begin(planned: Planned): this.type = {
    run = new HarnessRun(planned)
    lastPlan = None
    this
  }

  /** Runs batches until none is left to run, or one is killed. */
  def settle(): this.type = {
    run.settle()
    this
  }

  def stop(): this.type = {
    writeLogs(checkpoint, entries, committed, stateIds)
    this
  }

  /** Makes it as if the query was killed before it wrote the last offset. */
  def forgetLastOffset(): this.type = {
    if (entries.lastOption != committed) entries = entries.init
    this
  }

  /** The plan of the last batch of this run; none if there was none. */
  def plan: Option[SparkPlan] = lastPlan

  /** The rows that were late in this run, by operator. */
  def lateRows: Map[String, Long] = run.late

  /** The visible watermark of a node, in epoch ms. */
  def watermark(node: String): Option[Long] = watermarks.get(node).flatten

  /** The visible watermark of each node. */
  def watermarks: Map[String, Option[Long]] =
    entries.lastOption.fold(Map.empty[String, Option[Long]]) { entry =>
      entry.end.nodes.transform((_, mark) => mark.watermarkMs)
    }

  /** What the offset log says of every batch. */
  def log: Seq[LoggedBatch] = entries.map { e =>
    LoggedBatch(
      e.id,
      e.ends.map(_._2.toLong - 1),
      e.end.operators.map { case (name, mark) => name -> (mark.watermarkMs, mark.evictionMs) }
    )
  }

  /** A metric of the stateful operators, in each batch that was committed. */
  def metric(name: String): Seq[Long] = figures.map(_.getOrElse(name, 0L))

  /** How many rows the state holds. */
  def stateRows: Long = metric("numTotalStateRows").lastOption.getOrElse(0L)

  /** How many rows the state of each operator holds, by what Spark calls the operator. */
  def rowsOfOperators: Seq[(String, Long)] = lastPlan.toSeq.flatMap(_.collect {
    case s: StateStoreWriter => s.shortName -> s.metrics("numTotalStateRows").value
  })

  /** What Spark calls the stateful operators. */
  def operators: Seq[String] =
    lastPlan.toSeq.flatMap(_.collect { case s: StateStoreWriter => s.shortName })

  /** What a start has decided and planned. */
  private final class Planned {
    val prepared: PreparedQuery =
      PrepareStreamingQuery(TestBatches.start(frame, checkpoint.toString, mode)) match {
        case w: WriteToStream =>
          w.inputQuery match {
            case p: PreparedQuery => p
            case other            => throw new IllegalStateException(s"not prepared: $other")
          }
        case other => throw new IllegalStateException(s"not a query to start: $other")
      }
    val batches = new TestBatches(session, checkpoint.toString, mode)
    val template: SparkPlan = batches.planned(withoutClock(prepared))
  }

  /** One run of the query. */
  private final class HarnessRun(val planned: Planned) {
    import planned._

    private val feeds = Feed.in(template)
    private val stores = template.conf.numShufflePartitions
    private val drops = prepared.collect { case d: DropLate => d.operator -> d }.toMap
    private val spec: QuerySpec = prepared.decisions.time.copy(
      nodes = prepared.decisions.time.nodes.map(_.copy(hasParts = false))
    )
    private var begin: Entry = committed.fold(Entry(-1L, Nil, ClockState.empty)) { e =>
      e.copy(end = prepared.decisions.former(ClockOffset.parse(new ClockOffset(e.end).json).state))
    }
    private lazy val time =
      new QueryClock(spec, begin.end, clock.getTimeMillis(), skippedBefore = skipped)
    private var pending = lastSeen
    private var said = committed.map(_ => SourceRound.replayed(clock.getTimeMillis()))
    private var due = Map.empty[String, Option[NextDue]]
    private var restores = Map.empty[String, DonePartitions]
    var late: Map[String, Long] = Map.empty
    var hasFailed = false
    private var isFirst = true

    /** Whether the clock was asked; before, a batch is one that an earlier run has begun. */
    private var hasAsked = false
    private var stepsWithin = false

    def settle(): Unit = {
      // A batch whose offset was written and whose commit was not.
      entries.lastOption.filter(_.id > begin.id).foreach(runBatch)
      var quiet = 0
      while (quiet < 2 && !hasFailed) quiet = if (trigger()) 0 else quiet + 1
    }

    private def readBy(entry: Entry)(feed: Feed[_]): Int =
      entry.ends.collectFirst { case (f, n) if f eq feed => n }.getOrElse(0)

    /** Whether it has run a batch. */
    private def trigger(): Boolean = {
      val nowMs = clock.getTimeMillis()
      val ends = feeds.map(feed => feed -> feed.endAfter(readBy(begin)(feed)))
      val (observed, told) = (pending, due)
      pending = Map.empty
      due = Map.empty
      hasAsked = true
      val end = time.step(begin.end, observed, said, nowMs, nowMs, told, stepsWithin)
      time.takeEvents()
      val moved = ends.exists { case (feed, n) => n > readBy(begin)(feed) }
      said = Some(SourceRound(isReadUp = !moved, isNew = moved, nowMs))
      skipped = end.flatMap(_.skipped)
      val isBatch = moved || end.exists(!begin.end.givesSameAs(_))
      if (isBatch) {
        val entry = Entry(begin.id + 1, ends, end.getOrElse(begin.end))
        entries = entries :+ entry
        runBatch(entry)
      }
      isBatch
    }

    private def runBatch(entry: Entry): Unit = {
      val times = BatchTimes(begin.end, entry.end)
      assert(times.wentBack.isEmpty, times)
      val batch = new Statistics(times)
      val isReplay = !hasAsked
      var hasStepped = false
      def step(): Option[ClockTimes] = if (isReplay) within.get(entry.id)
      else {
        hasStepped = true
        stepsWithin = true
        val come = time.stepWithin(entry.end, batch.seen, said, clock.getTimeMillis())
        come.foreach(times => within += entry.id -> times)
        come
      }
      val hasRows = entry.ends.exists { case (feed, n) => n > readBy(begin)(feed) }
      val running = new RunningBatch(
        times,
        hasRows || times.looks,
        if (isReplay) within.get(entry.id) else None,
        () => step()
      )
      // Spark looks for the first batch of a run in the log.
      if (isFirst) writeLogs(checkpoint, entries, committed, stateIds)
      isFirst = false
      val isKilled = failIn(entry.id)
      try {
        val (plan, rows, ids) = batches.run(entry.id, stateIds, isKilled && entry.id % 2 == 0) {
          stateInfo => bound(entry, running, batch, stateInfo)
        }
        lastPlan = Some(plan)
        if (isKilled) hasFailed = true
        else {
          collected(entry.id, rows)
          figures = figures :+ plan
            .collect { case s: StateStoreWriter => s.metrics.toSeq }
            .flatten
            .groupMapReduce(_._1)(_._2.value)(_ + _)
          stateIds = ids
          committed = Some(entry)
          begin = entry
          lastSeen = batch.seen
          pending = if (hasStepped) Map.empty else lastSeen
          skipped = within.get(entry.id).orElse(skipped)
          due = batch.due
          batch.late.foreach { case (name, n) => late += name -> (late.getOrElse(name, 0L) + n) }
        }
      } catch {
        // By itself, or as the cause of a job that has failed.
        case NonFatal(e) if isKilled && e.getMessage.contains("made to fail") =>
          hasFailed = true
      }
    }

    /** The plan with the rows, watermarks and stores of a batch. */
    private def bound(
        entry: Entry,
        running: RunningBatch,
        batch: Statistics,
        stateInfo: Long => StatefulOperatorStateInfo
    ): SparkPlan = {
      def contextOf(
          own: SparkPlan,
          lowestMs: Long = OperatorBatch.NothingLate,
          isWhole: Boolean = false
      ) = {
        val inputs = own.children.flatMap(_.collectFirst { case d: DropLateExec => d })
        val name = inputs.head.owner.name
        val state = stateInfo(StatefulOperators.ownId(prepared, name))
        OperatorContext(
          Some(name),
          () => running.times.operator(name, lowestMs),
          Some(if (isWhole) state.copy(numPartitions = 1) else state),
          inputs.flatMap(d => batch.dueTimes(d.operator, if (isWhole) 1 else stores))
        )
      }
      template.transformUp {
        case r: RDDScanExec        => Feed.filled(r, readBy(begin), readBy(entry))
        case k: KeyedWatermarkExec => k.copy(stats = batch.stats(k.spec.name))
        case d: DropLateExec       =>
          val planned = drops(d.operator)
          def of = running.times.operator(d.operator, planned.lowestMs)
          d.copy(
            watermarks =
              () => if (planned.isPlain) of.copy(lateMs = OperatorBatch.NothingLate) else of,
            late = batch.lateRows(d.operator)
          )
        case f: FrameAggregateExec =>
          val context = contextOf(f, DropLate.LowestMs)
          f.copy(context = context, restores = context.name.map(done).filterNot(_.isComplete))
        case s: SessionAggregateExec  => s.copy(context = contextOf(s, DropLate.LowestMs))
        case d: DeduplicateByTimeExec => d.copy(context = contextOf(d))
        case o: EventTimeOrderExec    =>
          o.copy(context = contextOf(o, isWhole = o.partitionBy.isEmpty))
        case o: OverAggregateExec =>
          o.copy(context = contextOf(o, isWhole = o.partitionBy.isEmpty))
        case j: IntervalJoinExec   => j.copy(context = contextOf(j))
        case j: StreamAsOfJoinExec => j.copy(context = contextOf(j))
        case c: ClosingExec        => c.copy(batch = Some(running))
      }
    }

    private def done(operator: String): DonePartitions = {
      val partitions = restores.getOrElse(operator, DonePartitions.in(session.sparkContext, stores))
      restores += operator -> partitions
      partitions
    }

    /** What the tasks of a batch count for the clock. */
    private final class Statistics(times: BatchTimes) {
      private var nodes = Map.empty[String, SubstreamStats]
      private var drops = Map.empty[String, LateRows]
      private var dues = Map.empty[String, DueTimes]

      def stats(node: String): SubstreamStats = {
        val lateMs = times.late.nodes.get(node).flatMap(_.watermarkMs)
        val stats = new SubstreamStats(
          Long.MaxValue,
          SubstreamLimit.none,
          lateMs.fold(Long.MinValue)(EndOfTime.micros)
        )
        session.sparkContext.register(stats)
        nodes += node -> stats
        stats
      }

      def lateRows(operator: String): LateRows = {
        val late = new LateRows
        session.sparkContext.register(late)
        drops += operator -> late
        late
      }

      def dueTimes(operator: String, partitions: Int): Option[DueTimes] =
        Option.when(Settings.NoDataBatchesOnlyWhenDue.in(template.conf)) {
          val due = DueTimes.in(session.sparkContext, partitions)
          dues += operator -> due
          due
        }

      def seen: Map[String, NodeObservation] =
        nodes.transform((_, s) => NodeObservation(s.all, s.lateRows)).filter(_._2.tops.nonEmpty)

      def late: Map[String, Long] = drops.transform((_, l) => l.value).filter(_._2 > 0)

      def due: Map[String, Option[NextDue]] = dues.transform((_, d) => d.value)
    }
  }

}

object OperatorHarness {

  /** By operator and partition, the ids of the stores. */
  private type StateIds = Map[Long, Array[Array[String]]]

  /** A batch in the offset log: up to where it reads each feed, and the clock at its end. */
  private final case class Entry(id: Long, ends: Seq[(Feed[_], Int)], end: ClockState)

  /** The clock is a source of a stream; here the clock of the core is asked. */
  private def withoutClock(plan: LogicalPlan): LogicalPlan = plan.transform {
    case k: KeyedWatermark => k.copy(right = LocalRelation(k.right.output, isStreaming = true))
  }

  /** Writes the last batches into the logs of a checkpoint, for those who read it at a start. */
  private def writeLogs(
      checkpoint: Path,
      entries: Seq[Entry],
      committed: Option[Entry],
      stateIds: StateIds
  ): Unit = {
    def write(log: String, entry: Entry, version: Int = 1)(lines: String*): Unit = {
      Files.createDirectories(checkpoint.resolve(log))
      val _ = Files.writeString(
        checkpoint.resolve(log).resolve(entry.id.toString),
        lines.mkString(s"v$version\n", "\n", "")
      )
    }
    def settings = Seq(SQLConf.SHUFFLE_PARTITIONS, SQLConf.STATE_STORE_PROVIDER_CLASS)
      .map(entry => s""""${entry.key}":"${SQLConf.get.getConf(entry)}"""")
    val metadata =
      s"""{"batchWatermarkMs":0,"batchTimestampMs":0,"conf":{${settings.mkString(",")}}}"""
    entries.takeRight(2).foreach { entry =>
      val offsets = new ClockOffset(entry.end).json +: entry.ends.map(_._2.toString)
      write("offsets", entry)(metadata +: offsets: _*)
    }
    def list(texts: Iterable[String]) = texts.mkString("[", ",", "]")
    val ids = stateIds.map { case (operator, partitions) =>
      s""""$operator":""" + list(partitions.map(ids => list(ids.map(id => s""""$id""""))))
    }
    committed.foreach { entry =>
      if (ids.isEmpty) write("commits", entry)("""{"nextBatchWatermarkMs":0}""")
      else
        write("commits", entry, version = 2)(
          s"""{"nextBatchWatermarkMs":0,"stateUniqueIds":{${ids.mkString(",")}}}"""
        )
    }
  }
}
