package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.{ActiveMinimum, NoWatermark, WatermarkEmissionPolicy, WatermarkPolicy}

/**
 * The time of one watermark node: a policy for every substream, coalesced as the minimum over the
 * substreams that are not idle, and throttled by the emission policy.
 *
 * This class reads no clock: the wall clock, in epoch ms, is passed in. Not thread-safe.
 *
 * @param saved
 *   the substreams of the checkpoint, if there is one
 * @param savedWatermarkMs
 *   the watermark of the checkpoint; the visible one never falls below it
 * @param pausedMs
 *   for how long the query was stopped; that time does not count
 * @param startedAtMs
 *   the wall clock at the start; the idle timers begin here
 */
private[clock] final class SubstreamClock(
    val spec: NodeSpec,
    saved: NodeState,
    savedWatermarkMs: Option[Long],
    pausedMs: Long,
    startedAtMs: Long
) {
  import SubstreamClock._

  private val emission: WatermarkEmissionPolicy = spec.emission.create()
  private val goesWithWallClock = spec.policy.dependsOnWallClock
  private val substreams = mutable.ArrayBuffer.empty[Substream]
  private val numbers = mutable.HashMap.empty[String, Int]

  /** The numbers of its inputs are the numbers of the substreams. */
  private val minimum = new ActiveMinimum
  private var emitted = savedWatermarkMs
  private var changes = 0L

  private var isEmptyIdle = false
  private var idleDueMs = Long.MinValue
  private var tickedAtMs = Long.MinValue
  private var isDue = false

  private var awaitsParts = spec.hasParts
  private var parts: Map[String, Boolean] = _
  private var behind = Seq.empty[Int]
  private var partsSeenAtMs: Option[Long] = None
  private var readUpToMs: Option[Long] = None

  saved.substreams.foreach { case (name, values) =>
    val i = add(name, startedAtMs)
    substreams(i).isRead = true
    substreams(i).policy.restore(WatermarkPolicy.Snapshot(values), pausedMs)
    advance(i, startedAtMs)
  }

  /** The visible watermark, in epoch ms. */
  def watermarkMs: Option[Long] = emitted

  /**
   * Whether all substreams are idle; a stream without substreams is idle after the same timeout.
   */
  def isIdle: Boolean = if (substreams.isEmpty) isEmptyIdle else minimum.isIdle

  /** Whether nothing was ever observed. */
  def isUntouched: Boolean = substreams.isEmpty

  /** A number that grows whenever something in this node changes. */
  def version: Long = changes

  def mark: NodeMark = NodeMark(spec.key, emitted, isIdle)

  def snapshot: NodeState = NodeState(
    substreams.view.filter(_.isRead).map(s => s.name -> s.policy.snapshot.values).toVector
  )

  def view: NodeView = NodeView(
    mark,
    substreams.indices.map { i =>
      substreams(i).name ->
        SubstreamView(NoWatermark.toOption(minimum.watermark(i)), !minimum.isActive(i))
    }.toMap,
    if (minimum.isIdle) None else minimum.decidedBy.map(substreams(_).name)
  )

  /** Whether event time has ended. */
  def isAtEnd: Boolean = emitted.exists(_ >= EndOfTimeMs)

  /** Ends event time: no event is expected any more. */
  def end(): Unit = if (!isAtEnd) {
    emitted = Some(EndOfTimeMs)
    changes += 1
  }

  /**
   * Takes in what the source reports about its parts.
   *
   * A part with rows that the query has not read is active: it holds time back even if it was never
   * read. A part that was read to its end without an event holds nothing back, and neither does a
   * part that does not exist any more, such as a partition of a deleted topic.
   *
   * @param unread
   *   by substream, whether there are rows that the query has not read; the same object if nothing
   *   has changed. `None` if the source reports nothing: then a substream counts from its first
   *   event on
   * @param seenAtMs
   *   when the source reported this
   */
  def expect(unread: Option[Map[String, Boolean]], seenAtMs: Long): Unit = {
    awaitsParts = false
    unread.foreach { reported =>
      if (reported ne parts) takeIn(reported, seenAtMs)
      behind.foreach(awake(_, seenAtMs))
      partsSeenAtMs = Some(seenAtMs)
    }
  }

  private def takeIn(reported: Map[String, Boolean], seenAtMs: Long): Unit = {
    parts = reported
    isDue = true
    idleDueMs = Long.MinValue
    // A part that is new, or not behind any more, gets a time at once, not when the wall clock
    // moves again.
    tickedAtMs = Long.MinValue
    // With append times, time goes on without events, so even an empty part has a time.
    val added = reported.toSeq.collect {
      case (name, isBehind)
          if (isBehind || spec.policy.isIngestionTime) && !numbers.contains(name) =>
        name
    }
    added.sorted.foreach(add(_, seenAtMs))
    if (added.nonEmpty) changes += 1
    substreams.foreach(s => s.isBehind = reported.getOrElse(s.name, false))
    behind = substreams.indices.filter(substreams(_).isBehind)
    if (behind.exists(!minimum.isActive(_))) changes += 1
    // A part that is gone needs no place in the checkpoint either.
    substreams.indices.filterNot(i => reported.contains(substreams(i).name)).foreach { i =>
      substreams(i).isRead = false
      setIdle(i)
    }
  }

  /**
   * Takes in what a batch saw.
   *
   * @param tops
   *   by substream, the highest event time in µs, or `NoTime`
   * @param seenAtMs
   *   when the sources had been asked for the batch: its events had arrived by then
   * @throws TooManySubstreamsException
   *   if there are too many substreams
   */
  def observe(tops: collection.Map[String, Long], seenAtMs: Long, nowMs: Long): Unit =
    if (tops.nonEmpty) {
      tops.keysIterator.foreach(name => if (!numbers.contains(name)) add(name, seenAtMs))
      // All substreams become active before any time moves: otherwise an idle one would become
      // active too late to hold back the others.
      tops.keysIterator.foreach { name =>
        awake(numbers(name), seenAtMs)
        substreams(numbers(name)).isRead = true
      }
      tops.foreach { case (name, micros) =>
        if (micros != NoTime) observe(numbers(name), micros, nowMs)
      }
      idleDueMs = Long.MinValue
      changes += 1
      emit(nowMs)
    }

  private def observe(i: Int, micros: Long, nowMs: Long): Unit = {
    val ms = Math.floorDiv(micros, 1000L)
    raise(i, substreams(i).policy.observeEvent(ms, wallClockOf(substreams(i), nowMs)))
  }

  /**
   * Applies the wall clock.
   *
   * @param caughtUpAtMs
   *   the latest moment for which it is known that the query has read all that the sources had
   *   reported by then: idle timers run only up to this moment. If the source reports its parts,
   *   each part has an idle timer of its own
   */
  def tick(nowMs: Long, caughtUpAtMs: Option[Long]): Unit = {
    readUpToMs = partsSeenAtMs.orElse(caughtUpAtMs)
    // An idle query asks some 95 times a second: with many substreams, they are checked less often.
    val moment = if (spec.policy.isIngestionTime) readUpToMs else Some(nowMs)
    val due = moment.filter(_ - substreams.size / SubstreamsPerMs > tickedAtMs)
    if (goesWithWallClock && due.isDefined) {
      tickedAtMs = due.get
      substreams.indices.foreach(i => if (minimum.isActive(i)) advance(i, nowMs))
      emit(nowMs)
    }
    // Not earlier: the batch that read a part to its end may have shown its first rows.
    if (isDue && parts != null) leaveOutUnread()
    for (timeout <- spec.idleTimeoutMs; until <- readUpToMs if until >= idleDueMs) {
      findIdle(timeout, until)
      isDue = true
    }
    if (isDue) emit(nowMs)
    isDue = false
  }

  private def findIdle(timeoutMs: Long, caughtUpAtMs: Long): Unit = {
    if (substreams.isEmpty && !isEmptyIdle && caughtUpAtMs >= startedAtMs + timeoutMs) {
      isEmptyIdle = true
      changes += 1
    }
    idleDueMs = if (substreams.isEmpty && !isEmptyIdle) startedAtMs + timeoutMs else Long.MaxValue
    substreams.indices.filter(minimum.isActive).foreach { i =>
      val dueMs = substreams(i).activeAtMs + timeoutMs
      if (caughtUpAtMs >= dueMs) setIdle(i) else idleDueMs = math.min(idleDueMs, dueMs)
    }
  }

  /**
   * A part that was read to its end without an event holds nothing back. If no part had an event,
   * the stream counts as one without substreams, and waits for the timeout.
   */
  private def leaveOutUnread(): Unit =
    if (!spec.policy.isIngestionTime && substreams.exists(_.isRead)) {
      substreams.indices.foreach { i =>
        if (!substreams(i).isRead && !substreams(i).isBehind) setIdle(i)
      }
    }

  private def add(name: String, activeAtMs: Long): Int = {
    spec.limit.check(substreams.size + 1)
    val substream = new Substream(name, spec.policy.create())
    substream.activeAtMs = activeAtMs
    numbers(name) = substreams.size
    substreams += substream
    minimum.add()
  }

  private def awake(i: Int, seenAtMs: Long): Unit = {
    substreams(i).activeAtMs = math.max(substreams(i).activeAtMs, seenAtMs)
    minimum.activate(i)
  }

  private def setIdle(i: Int): Unit = if (minimum.isActive(i)) {
    minimum.deactivate(i)
    changes += 1
  }

  private def advance(i: Int, nowMs: Long): Unit =
    raise(i, substreams(i).policy.currentWatermark(wallClockOf(substreams(i), nowMs)))

  private def raise(i: Int, watermarkMs: Option[Long]): Unit =
    watermarkMs.filter(_ > minimum.watermark(i)).foreach(minimum.observe(i, _))

  /**
   * The wall clock that a policy is given. Append times follow the moment up to which the substream
   * is read: rows that the source had by then were appended before.
   */
  private def wallClockOf(substream: Substream, nowMs: Long): Long =
    if (!spec.policy.isIngestionTime) nowMs
    else if (substream.isBehind) Long.MinValue
    else readUpToMs.getOrElse(Long.MinValue)

  private def emit(nowMs: Long): Unit =
    if (!awaitsParts) {
      idealMs(nowMs).filter(w => emitted.forall(w > _) && emission.admits(w, emitted)).foreach {
        w =>
          emitted = Some(w)
          changes += 1
      }
    }

  /** While all substreams are idle, time goes on if the policy follows the wall clock. */
  private def idealMs(nowMs: Long): Option[Long] =
    if (isIdle && goesWithWallClock)
      substreams.flatMap(s => s.policy.currentWatermark(wallClockOf(s, nowMs))).maxOption
    else NoWatermark.toOption(minimum.value)
}

object SubstreamClock {

  /** The last millisecond of the year 9999, in epoch ms, and so of all times that Spark reads. */
  val EndOfTimeMs: Long = 253402300799999L

  /** In place of a time: events were seen, but all were too far in the future or had no time. */
  val NoTime: Long = Long.MinValue

  private val SubstreamsPerMs = 100
}
