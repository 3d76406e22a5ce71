package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.figures.{OperatorFigures, WatermarkFigures}
import tidegate.core.window.WindowGrid

/**
 * A query of which only time is real: feeds in memory, triggers and batches in the order of Spark's
 * micro-batch engine, the clock, and operators that count rows by windows. It has one feed for each
 * watermark node, under the name of the node. Nothing waits: the wall clock is moved by hand.
 *
 * @param windows
 *   of the operators that count; of others only the late rows are counted
 * @param restarts
 *   whether the query is stopped and started again between every two steps, each from the text in
 *   its checkpoint. A step ends with `settle`
 * @param sameBatch
 *   whether batches close what their own rows close
 */
final class ClockScenario(
    private var spec: QuerySpec,
    windows: Map[String, WindowGrid] = Map.empty,
    restarts: Boolean = false,
    startsBatches: Boolean = true,
    sameBatch: Boolean = false
) {
  import ClockScenario._

  private val feeds = spec.nodes.map(node => node.name -> new Feed).toMap

  // What is in the checkpoint and in the state stores.
  private var begin = ClockState.empty
  private var within = Option.empty[ClockTimes]
  private var lastSeen = Map.empty[String, NodeObservation]
  private var lastBatchAtMs = 0L
  private val states = mutable.Map.empty[String, Map[Long, Int]]

  // What a run knows.
  private var clock: QueryClock = _
  private var pending = Map.empty[String, NodeObservation]
  private var said: Option[SourceRound] = None
  private var frozenAtMs: Option[Long] = None
  private var isStepDone = false

  private val answers = mutable.ArrayBuffer.empty[String]
  private val late = mutable.Map.empty[String, Int]
  private val told = mutable.ArrayBuffer.empty[ClockEvent]

  var nowMs: Long = 1000000000L

  /** Whether the sources report nothing: all is read when they give nothing new. */
  var readUpWhenQuiet: Boolean = false

  /** Whether the sources of nodes with parts report them. */
  var reportsParts: Boolean = true
  var batchCount: Int = 0

  /** Called in each batch, with its number. */
  var onBatch: Int => Unit = _ => ()

  /** Adds rows at these seconds to a substream of a node. */
  def send(node: String, substream: String, seconds: Double*): this.type =
    sendRows(node, substream, seconds.map(FeedRow.at): _*)

  def sendRows(node: String, substream: String, rows: FeedRow*): this.type = {
    beginStep()
    feeds(node).send(substream, rows)
    this
  }

  def delete(node: String, substream: String): this.type = {
    beginStep()
    feeds(node).delete(substream)
    this
  }

  /** The most rows of a substream in a batch. */
  def limit(node: String)(most: String => Int): this.type = {
    beginStep()
    feeds(node).limit = most
    this
  }

  def advance(ms: Long): this.type = {
    beginStep()
    nowMs += ms
    this
  }

  /**
   * Triggers until nothing is left to do. What a trigger found is known at the next one, so two of
   * them have to start no batch.
   */
  def settle(): this.type = {
    beginStep()
    runTriggers()
    isStepDone = true
    this
  }

  /** One trigger alone, as of a query whose triggers are far apart. */
  def triggerOnce(): this.type = {
    beginStep()
    trigger()
    this
  }

  /** Stops the query, and starts it again at once. */
  def restart(): this.type = stop().settle()

  /** Stops the query, and starts another one on its checkpoint. */
  def continueWith(changed: QuerySpec): this.type = {
    stop()
    spec = changed
    settle()
  }

  /** Forgets all that is not in the checkpoint. */
  def stop(): this.type = {
    clock = null
    said = if (lastSeen.isEmpty) None else Some(SourceRound.replayed(lastBatchAtMs))
    begin =
      ClockCodec.read(ClockCodec.write(begin)).fold(e => throw new AssertionError(e), identity)
    pending = lastSeen.filter { case (name, _) =>
      !spec.nodes.exists(node => node.name == name && node.isOverState)
    }
    isStepDone = false
    this
  }

  /**
   * A run that ends by itself, when it has read what there was at its start.
   *
   * @param prepared
   *   what happens when the sources have decided where they will end
   * @param mostBatches
   *   after how many batches it is killed
   */
  def runOnce(prepared: => Unit = (), mostBatches: Int = Int.MaxValue): this.type = {
    stop()
    frozenAtMs = Some(nowMs)
    feeds.values.foreach(_.fix())
    prepared
    var batches = 0
    while (batches < mostBatches && trigger()) batches += 1
    feeds.values.foreach(_.release())
    frozenAtMs = None
    this
  }

  /** A run of one batch; time does not stand still. */
  def runOneBatch(): this.type = {
    stop()
    while (!trigger()) {}
    this
  }

  /** The windows that were closed and the rows in them since it was last asked, as `[0,10)|2`. */
  def take(): Seq[String] = {
    val taken = answers.toSeq
    answers.clear()
    taken.sorted
  }

  def lateRows: Map[String, Int] = late.toMap

  /** What the log has been told since it was last asked. */
  def takeEvents(): Seq[ClockEvent] = {
    val taken = told.toSeq
    told.clear()
    taken
  }

  /** The rows that are kept for windows that are still open. */
  def stateRows: Int = states.values.map(_.size).sum

  def watermarks: Map[String, WatermarkFigures] = clock.watermarkFigures(detailed = true)
  def state: ClockState = begin
  def query: QueryClock = clock
  def watermark(node: String): Option[Long] = watermarks(node).watermarkMs
  def isIdle(node: String): Boolean = watermarks(node).idle
  def substreams(node: String): Map[String, Boolean] =
    watermarks(node).substreams.map { case (name, s) => name -> s.idle }
  def operator(name: String): OperatorFigures = clock.operatorFigures(name)

  /** In seconds. */
  def time(operator: String): Option[Double] =
    clock.operatorFigures(operator).watermarkMs.map(_ / 1000.0)

  private def beginStep(): Unit = if (isStepDone) {
    isStepDone = false
    if (restarts) {
      stop()
      runTriggers()
    }
  }

  private def runTriggers(): Unit = {
    var quiet = 0
    var triggers = 0
    while (quiet < 2) {
      quiet = if (trigger()) 0 else quiet + 1
      triggers += 1
      if (triggers > MaxTriggers) throw new AssertionError("batches without end")
    }
  }

  /** Whether it started a batch. */
  private def trigger(): Boolean = {
    val startMs = nowMs
    val ends = feeds.map { case (name, feed) => name -> feed.poll() }
    if (clock == null)
      clock = new QueryClock(spec, begin, nowMs, frozenAtMs, startsBatches, within)
    val observed = pending
    pending = Map.empty
    val end = clock.step(begin, observed, said, nowMs, startMs, stepsWithin = sameBatch)
    told ++= clock.takeEvents()
    val moved = feeds.exists { case (name, feed) => feed.hasMoved(ends(name)) }
    said = Some(
      SourceRound(
        if (readUpWhenQuiet) !moved
        else feeds.forall { case (name, feed) => feed.isReadUp(ends(name)) },
        moved,
        nowMs,
        spec.nodes.filter(_.hasParts).map(n => n.name -> unread(n.name, ends(n.name))).toMap
      )
    )
    val isBatch = moved || end.exists(!begin.givesSameAs(_))
    if (isBatch) {
      val rows = feeds.map { case (name, feed) => name -> feed.take(ends(name)) }
      runBatch(rows, BatchTimes(begin, end.getOrElse(begin)))
    }
    isBatch
  }

  private def unread(node: String, ends: Map[String, Int]): Option[Map[String, Boolean]] =
    if (reportsParts) feeds(node).unread(ends) else None

  private def runBatch(rows: Map[String, Map[String, Seq[FeedRow]]], planned: BatchTimes): Unit = {
    assert(planned.wentBack.isEmpty, planned)
    onBatch(batchCount)
    batchCount += 1
    lastBatchAtMs = nowMs
    lastSeen = rows
      .map { case (name, byName) =>
        val seen = byName.view.mapValues(_.flatMap(_.observedMs)).filter(_._2.nonEmpty).toMap
        val lateMs = planned.late.nodes.get(name).flatMap(_.watermarkMs)
        val late = seen.view.mapValues(_.count(ms => lateMs.exists(ms < _)).toLong)
        name -> NodeObservation(
          seen.view.mapValues(_.max * 1000).toMap,
          late.filter(_._2 > 0).toMap
        )
      }
      .filter(_._2.tops.nonEmpty)
    within = None
    if (sameBatch && (lastSeen.nonEmpty || planned.looks))
      within = clock.stepWithin(planned.end, lastSeen, said, nowMs)
    else pending = lastSeen
    val times = within.fold(planned)(planned.within)
    spec.operators.foreach { op =>
      val own = op.input.nodes.flatMap(rows.getOrElse(_, Map.empty).values).flatten
      run(op, own.flatMap(_.eventMs), times.operator(op.name))
    }
    begin = planned.end
  }

  private def run(op: OperatorSpec, rows: Seq[Long], batch: OperatorBatch): Unit = {
    val grid = windows.get(op.name)
    // The end of the window of a row, or its time.
    def place(ms: Long) = grid.fold(ms)(g => g.lastEnd(ms) + g.sizeMs)
    val (dropped, kept) =
      rows.partition(ms => grid.fold(ms < batch.lateMs)(_ => place(ms) <= batch.lateMs))
    if (dropped.nonEmpty) late(op.name) = late.getOrElse(op.name, 0) + dropped.size
    grid.foreach { g =>
      val counts = kept.map(place).foldLeft(states.getOrElse(op.name, Map.empty)) { (all, end) =>
        all.updated(end, all.getOrElse(end, 0) + 1)
      }
      val (closed, open) = counts.partition { case (end, _) => end <= batch.evictionMs }
      states(op.name) = open
      answers ++= closed.map { case (end, n) => s"[${(end - g.sizeMs) / 1000},${end / 1000})|$n" }
    }
  }
}

object ClockScenario {
  private val MaxTriggers = 20000
}
