package tidegate.clock

import scala.collection.mutable

import tidegate.core.{KeyedWatermarkCoalescer, WatermarkEmissionPolicy, WatermarkPolicy}
import tidegate.plans.WatermarkSpec
import tidegate.statistics.{SubstreamLimit, SubstreamNode}

/**
 * The time of one watermark node: a policy for every substream, coalesced as the minimum over those
 * that are not idle, throttled by the emission policy.
 *
 * It reads no clock: the wall clock, in epoch ms, is passed in.
 *
 * @param spec
 *   what the user asked for; the emission is chosen
 * @param restored
 *   the substreams of the checkpoint, if there is one
 * @param lastWatermarkMs
 *   the watermark of the checkpoint; the visible one never falls below it
 * @param pausedMs
 *   for how long the query was stopped; that time does not count
 * @param startedAtMs
 *   the wall clock at the start; the idle timers begin here
 * @param hasParts
 *   whether the source tells of the substreams by itself, with [[expect]]; nothing becomes visible
 *   before it has
 * @param limit
 *   how many substreams it may have
 */
final class NodeClock(
    val spec: WatermarkSpec,
    restored: NodeState,
    lastWatermarkMs: Option[Long],
    pausedMs: Long,
    startedAtMs: Long,
    hasParts: Boolean = false,
    limit: SubstreamLimit = SubstreamLimit.none
) {

  private final class Substream(val name: String, var activeAtMs: Long) {
    val policy: WatermarkPolicy = spec.policy.create()
    var watermarkMs: Option[Long] = None
    var idle = false

    /** Whether an event was read, with or without a usable time. */
    var isRead = false

    /** Whether the source has more of it than was read. */
    var isBehind = false
  }

  private val emission: WatermarkEmissionPolicy = spec.emission.get.create()
  private val substreams = mutable.ArrayBuffer.empty[Substream]
  private val indexes = mutable.HashMap.empty[String, Int]
  private var coalescer: KeyedWatermarkCoalescer = _
  private var emitted = lastWatermarkMs
  private var idleDueMs = Long.MinValue
  private var tickedAtMs = Long.MinValue
  private var changes = 0L
  private var emptyIdle = false
  private var awaitsParts = hasParts
  private var expected: Map[String, Boolean] = _
  private var partsSeenAtMs: Option[Long] = None
  private var readUpToMs: Option[Long] = None
  private var isDue = false
  private val wallClock = spec.policy.create().dependsOnWallClock

  restored.substreams.foreach { case (name, longs) =>
    val substream = add(name, startedAtMs)
    substream.isRead = true
    substream.policy.restore(WatermarkPolicy.Snapshot(longs), pausedMs)
    substream.watermarkMs = substream.policy.currentWatermark(wallClockOf(substream, startedAtMs))
  }
  coalesceAnew()

  /** The visible watermark, in epoch ms. */
  def watermarkMs: Option[Long] = emitted

  /** All substreams are idle; a stream that has shown none is, after the same timeout. */
  def isIdle: Boolean = if (substreams.isEmpty) emptyIdle else coalescer.isIdle

  /** Nothing was ever observed. */
  def isUntouched: Boolean = substreams.isEmpty

  /** Grows whenever something of this node changes. */
  def version: Long = changes

  def snapshot: NodeState =
    NodeState(
      substreams.view.filter(_.isRead).map(s => s.name -> s.policy.snapshot.values).toVector
    )

  def views: Map[String, SubstreamView] =
    substreams.map(s => s.name -> SubstreamView(s.watermarkMs, s.idle)).toMap

  /** The substream that is not idle and has the lowest watermark, or none yet. */
  def heldBackBy: Option[String] =
    substreams.filterNot(_.idle).minByOption(_.watermarkMs).map(_.name)

  /**
   * Takes in what the source says of its parts.
   *
   * A part with rows that the query has not read is active: it holds time back even if it was never
   * read. One that was read to its end without an event holds nothing back, and neither does one
   * that is not there any more, such as a partition of a deleted topic.
   *
   * @param unread
   *   by substream, whether there was more than the query has read; the same object if nothing has
   *   changed. `None` if the source tells nothing: then a substream counts from its first event on
   * @param seenAtMs
   *   when the source said so
   */
  def expect(unread: Option[Map[String, Boolean]], seenAtMs: Long): Unit = {
    awaitsParts = false
    unread.foreach(expectParts(_, seenAtMs))
  }

  private def expectParts(unread: Map[String, Boolean], seenAtMs: Long): Unit = {
    if (unread ne expected) {
      expected = unread
      isDue = true
      idleDueMs = Long.MinValue
      // Where time goes on without events, that of an empty part does too.
      val added = unread
        .collect {
          case (name, isBehind) if isBehind || spec.policy.isIngestionTime => name
        }
        .filterNot(indexes.contains)
      added.toSeq.sorted.foreach(add(_, seenAtMs))
      if (added.nonEmpty) {
        coalesceAnew()
        changes += 1
      }
      substreams.foreach { s =>
        s.isBehind = unread.getOrElse(s.name, false)
        if (s.isBehind && s.idle) changes += 1
      }
      // What is gone needs no place in the checkpoint either.
      substreams.indices.filterNot(i => unread.contains(substreams(i).name)).foreach { i =>
        substreams(i).isRead = false
        setIdle(i)
      }
    }
    unread.foreach { case (name, isBehind) => if (isBehind) awake(indexes(name), seenAtMs) }
    partsSeenAtMs = Some(seenAtMs)
  }

  /**
   * Takes in what a batch saw.
   *
   * @param tops
   *   by substream, the highest event time in µs; `NoTime` for a substream whose events were all
   *   too far in the future
   * @param seenAtMs
   *   when the batch was put together: its events had arrived by then
   * @throws AnalysisException
   *   if there are too many substreams
   */
  def observe(tops: collection.Map[String, Long], seenAtMs: Long, nowMs: Long): Unit =
    if (tops.nonEmpty) {
      val before = substreams.size
      tops.keysIterator.foreach(name => if (!indexes.contains(name)) add(name, seenAtMs))
      if (substreams.size > before) coalesceAnew()
      // All are awake before any moves: else one that slept would come too late to hold the others.
      tops.keysIterator.foreach { name =>
        awake(indexes(name), seenAtMs)
        substreams(indexes(name)).isRead = true
      }
      tops.foreach { case (name, micros) =>
        if (micros != SubstreamNode.NoTime) observe(indexes(name), micros, nowMs)
      }
      idleDueMs = Long.MinValue
      changes += 1
      emit(nowMs)
    }

  private def awake(i: Int, seenAtMs: Long): Unit = {
    val substream = substreams(i)
    substream.activeAtMs = math.max(substream.activeAtMs, seenAtMs)
    substream.idle = false
    coalescer.observeEvent(i)
  }

  private def observe(i: Int, micros: Long, nowMs: Long): Unit =
    advance(
      i,
      substreams(i).policy
        .observeEvent(Math.floorDiv(micros, 1000L), wallClockOf(substreams(i), nowMs))
    )

  /**
   * What a policy takes for the wall clock. The times of appending follow the moment up to which
   * the substream is read: what the source had by then was appended before.
   */
  private def wallClockOf(substream: Substream, nowMs: Long): Long =
    if (!spec.policy.isIngestionTime) nowMs
    else if (substream.isBehind) Long.MinValue
    else readUpToMs.getOrElse(Long.MinValue)

  /**
   * Lets the wall clock work.
   *
   * @param caughtUpAtMs
   *   the latest moment for which it is known that the query has read all that the sources had
   *   reported by then: silence counts up to here only. If the source tells of its parts, each has
   *   a silence of its own
   */
  def tick(nowMs: Long, caughtUpAtMs: Option[Long]): Unit = {
    readUpToMs = if (partsSeenAtMs.isDefined) partsSeenAtMs else caughtUpAtMs
    // An idle query asks some 95 times a second: many substreams are looked at less often.
    val moment = if (spec.policy.isIngestionTime) readUpToMs else Some(nowMs)
    val due = moment.filter(_ - substreams.size / NodeClock.SubstreamsPerMs > tickedAtMs)
    if (wallClock && due.isDefined) {
      tickedAtMs = due.get
      substreams.indices.foreach { i =>
        val substream = substreams(i)
        if (!substream.idle) {
          advance(i, substream.policy.currentWatermark(wallClockOf(substream, nowMs)))
        }
      }
      emit(nowMs)
    }
    // Not earlier: the batch that read it to its end may have shown the first of its rows.
    if (isDue && expected != null) leaveOutUnread()
    for (timeout <- spec.idleTimeoutMs; until <- readUpToMs if until >= idleDueMs) {
      findIdle(timeout, until)
      isDue = true
    }
    if (isDue) emit(nowMs)
    isDue = false
  }

  /** Whether time has ended. */
  def isAtEnd: Boolean = emitted.exists(_ >= NodeClock.EndOfTimeMs)

  /** The end of time: no event is expected any more. */
  def end(): Unit = if (!isAtEnd) {
    emitted = Some(NodeClock.EndOfTimeMs)
    changes += 1
  }

  private def findIdle(timeoutMs: Long, caughtUpAtMs: Long): Unit = {
    if (substreams.isEmpty && !emptyIdle && caughtUpAtMs >= startedAtMs + timeoutMs) {
      emptyIdle = true
      changes += 1
    }
    idleDueMs = if (substreams.isEmpty && !emptyIdle) startedAtMs + timeoutMs else Long.MaxValue
    substreams.indices.foreach { i =>
      val substream = substreams(i)
      if (!substream.idle) {
        val dueMs = substream.activeAtMs + timeoutMs
        if (caughtUpAtMs >= dueMs) setIdle(i)
        else idleDueMs = math.min(idleDueMs, dueMs)
      }
    }
  }

  /**
   * A part that was read to its end without an event holds nothing back. If none had an event, the
   * stream is one that has shown nothing, and waits for the timeout.
   */
  private def leaveOutUnread(): Unit =
    if (!spec.policy.isIngestionTime && substreams.exists(_.isRead)) {
      substreams.indices.foreach { i =>
        if (!substreams(i).isRead && !substreams(i).isBehind) setIdle(i)
      }
    }

  private def setIdle(i: Int): Unit = if (!substreams(i).idle) {
    substreams(i).idle = true
    coalescer.observeIdle(i)
    changes += 1
  }

  private def advance(i: Int, watermarkMs: Option[Long]): Unit = {
    val substream = substreams(i)
    watermarkMs.filter(w => substream.watermarkMs.forall(w > _)).foreach { w =>
      substream.watermarkMs = Some(w)
      coalescer.observeWatermark(i, spec.key, w)
    }
  }

  private def emit(nowMs: Long): Unit =
    if (!awaitsParts) {
      idealMs(nowMs).filter(w => emitted.forall(w > _) && emission.admits(w, emitted)).foreach {
        w =>
          emitted = Some(w)
          changes += 1
      }
    }

  private def idealMs(nowMs: Long): Option[Long] =
    if (!isIdle) coalescer.coalesced(spec.key)
    else if (!wallClock) coalescer.topObserved(spec.key)
    // Time goes on while all are idle, if the policy says so.
    else substreams.flatMap(s => s.policy.currentWatermark(wallClockOf(s, nowMs))).maxOption

  private def add(name: String, activeAtMs: Long): Substream = {
    limit.check(substreams.size + 1)
    val substream = new Substream(name, activeAtMs)
    indexes(name) = substreams.size
    substreams += substream
    substream
  }

  /** The coalescer has a fixed number of inputs: a new one learns what the old one knew. */
  private def coalesceAnew(): Unit = {
    coalescer = new KeyedWatermarkCoalescer(math.max(1, substreams.size))
    substreams.zipWithIndex.foreach { case (substream, i) =>
      substream.watermarkMs.foreach(coalescer.observeWatermark(i, spec.key, _))
      if (substream.idle) coalescer.observeIdle(i)
    }
  }
}

object NodeClock {

  /** The last millisecond of the year 9999, in epoch ms, and so of all times that Spark reads. */
  val EndOfTimeMs: Long = 253402300799999L

  private val SubstreamsPerMs = 100
}
