package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.figures.{SubstreamFigures, WatermarkDetail, WatermarkFigures}
import tidegate.core.policy.WatermarkPolicy
import tidegate.core.{ActiveMinimum, EndOfTime, NoWatermark, Saturating}

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
 *   for how long the query was stopped. This time does not count for policies, but it does for
 *   silence: whoever is silent when all is read that had come meanwhile was silent all the time
 * @param startedAtMs
 *   the wall clock at the start
 */
private[clock] final class SubstreamClock(
    val spec: NodeSpec,
    saved: NodeState,
    savedWatermarkMs: Option[Long],
    pausedMs: Long,
    startedAtMs: Long
) {
  import SubstreamClock._

  private val goesWithWallClock = spec.policy.dependsOnWallClock
  private val substreams = mutable.LinkedHashMap.empty[String, Substream]

  /** The numbers of its inputs are the numbers of the substreams. */
  private val minimum = new ActiveMinimum
  private val byNumber = mutable.ArrayBuffer.empty[Substream]
  private val events = mutable.ArrayBuffer.empty[ClockEvent]
  private var emitted = savedWatermarkMs
  private var changes = 0L

  private val emptySinceMs = saved.sinceMs.fold(startedAtMs)(math.min(_, startedAtMs))
  private var isEmptyIdle = false
  private var idleDueMs = Long.MinValue
  private var forgetDueMs = Long.MinValue
  private var tickedAtMs = Long.MinValue
  private var isDue = false

  private var awaitsParts = spec.hasParts
  private var parts: Map[String, Boolean] = _
  private var behind = Seq.empty[Substream]
  private var partsSeenAtMs: Option[Long] = None
  private var readUpToMs: Option[Long] = None
  private val held = new HeldTime(startedAtMs, spec.stallMs)
  private var lastRowAtMs = Option.empty[Long]

  if (saved.substreams.nonEmpty) restore()

  private def restore(): Unit = saved.origin match {
    case Some(origin) if origin.columns != spec.columns =>
      events += ClockEvent.ColumnsChanged(spec.name, origin.columns, spec.columns, emitted)
    case origin =>
      val changed = origin.map(_.policy).filter(_ != spec.policy)
      changed.foreach(events += ClockEvent.PolicyChanged(spec.name, _, spec.policy))
      saved.substreams.foreach(restore(_, isOfOtherPolicy = changed.isDefined))
      events += ClockEvent.Restored(spec.name, saved.substreams.size, emitted)
  }

  private def restore(old: SavedSubstream, isOfOtherPolicy: Boolean): Unit = {
    val substream = make(old.name, math.min(old.activeAtMs, startedAtMs))
    substream.isRead = true
    if (isOfOtherPolicy) old.watermarkMs.foreach(substream.policy.goOnFrom(_, startedAtMs))
    else substream.policy.restore(WatermarkPolicy.Snapshot(old.values), pausedMs)
    advance(substream, startedAtMs)
  }

  /** The visible watermark, in epoch ms. */
  def watermarkMs: Option[Long] = emitted

  /**
   * Whether all substreams are idle; a stream without substreams is idle after the same timeout.
   */
  def isIdle: Boolean = if (substreams.isEmpty) isEmptyIdle else minimum.isIdle

  /** Whether nothing was ever observed. */
  def isUntouched: Boolean = substreams.isEmpty && emitted.isEmpty

  /** A number that grows whenever something in this node changes. */
  def version: Long = changes

  def mark: NodeMark = NodeMark(spec.key, emitted, isIdle)

  def snapshot: NodeState = NodeState(
    substreams.valuesIterator
      .filter(_.isRead)
      .map(s => SavedSubstream(s.name, s.policy.snapshot.values, s.activeAtMs))
      .toVector,
    Some(spec.origin),
    if (substreams.isEmpty) Some(emptySinceMs) else None
  )

  /**
   * The figures of this moment. Their cost does not depend on the number of substreams, unless they
   * are detailed.
   */
  def figures(detailed: Boolean): WatermarkFigures = {
    val by = holder
    WatermarkFigures(
      spec.key.toInt,
      emitted,
      isIdle,
      by.map(_.name),
      by.map(_ => held.heldSinceMs),
      by.fold(0L)(distance),
      minimum.activeCount,
      substreams.size - minimum.activeCount,
      behind.size,
      held.movedAtMs,
      detail = Option.when(detailed)(detail)
    )
  }

  private def detail = WatermarkDetail(
    substreams.map { case (name, s) =>
      val watermarkMs = NoWatermark.toOption(minimum.watermark(s.number))
      name ->
        SubstreamFigures(watermarkMs, !isActive(s), s.activeAtMs, s.isRead, s.isBehind, s.newAtMs)
    }.toMap,
    spec.columns,
    goesWithWallClock,
    spec.idleTimeoutMs.map(idleBehindMs),
    startedAtMs,
    emptySinceMs,
    lastRowAtMs
  )

  /** The substream that time waits for; none if all are idle. */
  private def holder: Option[Substream] =
    if (minimum.isIdle) None else minimum.decidedBy.map(byNumber)

  /** How far a substream is behind the newest, in ms; 0 as long as it has no watermark. */
  private def distance(substream: Substream): Long = {
    val ms = minimum.watermark(substream.number)
    if (ms == NoWatermark.Ms) 0L else Saturating.subtract(minimum.top, ms)
  }

  /** What has happened since this was last asked, for the log. */
  def takeEvents(): Seq[ClockEvent] = {
    val taken = events.toVector
    events.clear()
    taken
  }

  /** Whether event time has ended. */
  def isAtEnd: Boolean = emitted.exists(_ >= EndOfTimeMs)

  /** Ends event time: no event is expected any more. */
  def end(): Unit = if (!isAtEnd) {
    emitted = Some(EndOfTimeMs)
    changes += 1
    events += ClockEvent.Ended(spec.name)
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
    if (awaitsParts) {
      awaitsParts = false
      // What was observed while this was awaited becomes visible now, also if nothing is reported.
      isDue = true
    }
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
    addAll(
      reported.collect {
        case (name, isBehind) if isBehind || spec.policy.isIngestionTime => name
      },
      seenAtMs
    )
    val all = substreams.values.toSeq
    all.foreach(s => s.isBehind = reported.getOrElse(s.name, false))
    behind = all.filter(_.isBehind)
    if (behind.exists(!isActive(_))) changes += 1
    // A part that is gone needs no place in the checkpoint either.
    all.filterNot(s => reported.contains(s.name)).foreach { s =>
      s.isRead = false
      setIdle(s)
    }
  }

  /**
   * Takes in what a batch saw.
   *
   * @param seenAtMs
   *   when the sources had been asked for the batch: its events had arrived by then
   * @throws TooManySubstreamsException
   *   if there are too many substreams
   */
  def observe(seen: NodeObservation, seenAtMs: Long, nowMs: Long): Unit =
    if (seen.tops.nonEmpty) {
      addAll(seen.tops.keys, seenAtMs)
      val speaking = seen.tops.iterator.map { case (name, micros) =>
        substreams(name) -> micros
      }.toSeq
      val back = speaking.collect { case (s, _) if !isActive(s) => s }
      back.foreach { s =>
        val pauseMs = seenAtMs - s.activeAtMs
        seen.late
          .get(s.name)
          .foreach(events += ClockEvent.LateAfterIdle(spec.name, s.name, pauseMs, _))
      }
      if (back.nonEmpty) events += ClockEvent.CameBack(spec.name, back.map(_.name).sorted)
      // All substreams become active before any time moves: otherwise an idle one would become
      // active too late to hold back the others.
      speaking.foreach { case (s, _) =>
        awake(s, seenAtMs)
        // With the first event, parts that were read to their end without one are left out.
        isDue ||= parts != null && !s.isRead
        s.isRead = true
        s.isLogged = false
      }
      speaking.foreach { case (s, micros) => if (micros != NoTime) observe(s, micros, nowMs) }
      // The wall clock gives those without a usable time theirs at once, as after a restart.
      if (speaking.exists(_._2 == NoTime)) tickedAtMs = Long.MinValue
      idleDueMs = Long.MinValue
      changes += 1
      lastRowAtMs = Some(seenAtMs)
      emit(nowMs)
      logSilence(nowMs)
    }

  private def observe(substream: Substream, micros: Long, nowMs: Long): Unit = {
    val ms = Math.floorDiv(micros, 1000L)
    raise(substream, substream.policy.observeEvent(ms, wallClockOf(substream, nowMs)))
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
      substreams.valuesIterator.filter(isActive).foreach(advance(_, nowMs))
      // Without an event, another substream may be behind now.
      if (spec.idleBehindMs.isDefined) idleDueMs = Long.MinValue
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
    for (forgetAfter <- spec.forgetAfterMs; until <- readUpToMs if until >= forgetDueMs) {
      forget(forgetAfter, until, nowMs)
    }
    if (nowMs - startedAtMs > spec.idleTimeoutMs.getOrElse(Long.MaxValue)) logSilence(nowMs)
    noteHeldTime(nowMs)
  }

  /** With what the emission policy keeps back: a watermark that moves once an hour is not held. */
  private def noteHeldTime(nowMs: Long): Unit = {
    val timeMs = math.max(minimum.value, emitted.getOrElse(Long.MinValue))
    held.note(timeMs, holder, isIdle || isAtEnd, nowMs)
    held.takeStall(nowMs).foreach { stillMs =>
      events += ClockEvent.Stalled(
        spec.name,
        emitted,
        stillMs,
        holder.map(_.name),
        holder.fold(0L)(distance),
        nowMs - holder.fold(emptySinceMs)(_.activeAtMs),
        holder.exists(_.isBehind)
      )
    }
  }

  private def findIdle(timeoutMs: Long, caughtUpAtMs: Long): Unit = {
    if (substreams.isEmpty && !isEmptyIdle && caughtUpAtMs >= emptySinceMs + timeoutMs) {
      isEmptyIdle = true
      changes += 1
    }
    idleDueMs = if (substreams.isEmpty && !isEmptyIdle) emptySinceMs + timeoutMs else Long.MaxValue
    val idle = mutable.ArrayBuffer.empty[Substream]
    substreams.valuesIterator.filter(isActive).foreach { s =>
      val dueMs = idleAtMs(s, timeoutMs)
      if (caughtUpAtMs >= dueMs) idle += s else idleDueMs = math.min(idleDueMs, dueMs)
    }
    idle.foreach(setIdle)
    if (idle.nonEmpty) events += ClockEvent.FellIdle(spec.name, idle.map(_.name).sorted.toSeq)
  }

  private def idleAtMs(substream: Substream, timeoutMs: Long): Long =
    substream.activeAtMs + (if (isOvertaken(substream)) idleBehindMs(timeoutMs) else timeoutMs)

  /**
   * Whether something would be left out if it were known that the sources have no more rows. What
   * was due when the checkpoint was made, makes a difference only if there are new rows.
   *
   * @param hasRows
   *   whether the run has seen rows, of any node
   */
  def isOverdue(nowMs: Long, hasRows: Boolean): Boolean = spec.idleTimeoutMs.exists { timeoutMs =>
    def matters(dueMs: Long) = nowMs >= dueMs && (hasRows || dueMs > startedAtMs - pausedMs)
    if (substreams.isEmpty) !isEmptyIdle && matters(emptySinceMs + timeoutMs)
    else
      substreams.valuesIterator.exists { s =>
        isActive(s) && !s.isBehind && matters(idleAtMs(s, timeoutMs))
      }
  }

  /** Whether rows that go on where the substream was are late as soon as it is left out. */
  private def isOvertaken(substream: Substream): Boolean =
    minimum.watermark(substream.number) < minimum.top

  private def idleBehindMs(timeoutMs: Long): Long =
    spec.idleBehindMs.fold(timeoutMs)(math.max(_, timeoutMs))

  /**
   * A substream that is idle and that the watermark has passed is forgotten: when it comes back, it
   * is a new one. One of append times is never idle, but what comes later is appended later. The
   * furthest stays, as time goes on with it when all are idle.
   */
  private def forget(afterMs: Long, caughtUpAtMs: Long, nowMs: Long): Unit = {
    val (due, others) = substreams.values
      .filter(s => (spec.policy.isIngestionTime || !isActive(s)) && !isReported(s))
      .toSeq
      .partition(s => caughtUpAtMs - s.activeAtMs >= afterMs)
    def isPassed(s: Substream) = emitted.exists(_ >= minimum.watermark(s.number))
    val passed = due.filter(s => spec.policy.isIngestionTime || isPassed(s))
    // By name among equals, so that a restart keeps the same one.
    val furthest = substreams.values.maxByOption(s => (minimum.watermark(s.number), s.name))
    val left = passed.filterNot(furthest.contains)
    left.foreach { s =>
      substreams -= s.name
      minimum.remove(s.number)
    }
    if (left.nonEmpty) {
      changes += 1
      events += ClockEvent.Forgotten(spec.name, left.map(_.name).sorted)
      // One of append times has held back the others until now.
      emit(nowMs)
    }
    // What becomes idle later is due later.
    forgetDueMs = (others.map(_.activeAtMs + afterMs) :+ (caughtUpAtMs + afterMs / 16 + 1)).min
  }

  private def isReported(substream: Substream): Boolean =
    parts != null && parts.contains(substream.name)

  /** Logs once a substream that holds the others back by a silence that may be none. */
  private def logSilence(nowMs: Long): Unit =
    for {
      timeoutMs <- spec.idleTimeoutMs
      number <- minimum.decidedBy if !minimum.isIdle
      s = byNumber(number)
      silentMs = nowMs - s.activeAtMs
      if !s.isLogged && isOvertaken(s) && silentMs > idleBehindMs(timeoutMs)
    } {
      s.isLogged = true
      events += ClockEvent.HeldBack(spec.name, s.name, silentMs, timeoutMs)
    }

  /**
   * A part that was read to its end without an event holds nothing back. If no part had an event,
   * the stream counts as one without substreams, and waits for the timeout.
   */
  private def leaveOutUnread(): Unit =
    if (!spec.policy.isIngestionTime && substreams.valuesIterator.exists(_.isRead)) {
      substreams.values.filter(s => !s.isRead && !s.isBehind).foreach(setIdle)
    }

  private def addAll(names: Iterable[String], activeAtMs: Long): Unit = {
    val added = names.filterNot(substreams.contains).toSeq.sorted
    added.foreach { name =>
      spec.limit.check(substreams.size + 1)
      make(name, activeAtMs).newAtMs = Some(activeAtMs)
    }
    if (added.nonEmpty) {
      changes += 1
      events += ClockEvent.Appeared(spec.name, added)
    }
  }

  private def make(name: String, activeAtMs: Long): Substream = {
    val substream = new Substream(name, minimum.add(), spec.policy.create())
    substream.activeAtMs = activeAtMs
    substreams(name) = substream
    if (substream.number < byNumber.size) byNumber(substream.number) = substream
    else byNumber += substream
    substream
  }

  private def isActive(substream: Substream): Boolean = minimum.isActive(substream.number)

  private def awake(substream: Substream, seenAtMs: Long): Unit = {
    substream.activeAtMs = math.max(substream.activeAtMs, seenAtMs)
    minimum.activate(substream.number)
  }

  private def setIdle(substream: Substream): Unit = if (isActive(substream)) {
    minimum.deactivate(substream.number)
    changes += 1
  }

  private def advance(substream: Substream, nowMs: Long): Unit =
    raise(substream, substream.policy.currentWatermark(wallClockOf(substream, nowMs)))

  private def raise(substream: Substream, watermarkMs: Option[Long]): Unit =
    watermarkMs
      .filter(_ > minimum.watermark(substream.number))
      .foreach(minimum.observe(substream.number, _))

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
      idealMs(nowMs)
        .filter(w => emitted.forall(w > _) && spec.emission.admits(w, emitted))
        .foreach { w =>
          emitted = Some(w)
          changes += 1
        }
    }

  /** While all substreams are idle, time goes on if the policy follows the wall clock. */
  private def idealMs(nowMs: Long): Option[Long] =
    if (isIdle && goesWithWallClock)
      substreams.valuesIterator
        .flatMap(s => s.policy.currentWatermark(wallClockOf(s, nowMs)))
        .maxOption
    else NoWatermark.toOption(minimum.value)
}

object SubstreamClock {

  /** The last millisecond of TIMESTAMP, in epoch ms: everything that has a time is before it. */
  val EndOfTimeMs: Long = EndOfTime.Ms

  /** In place of a time: events were seen, but all were too far in the future or had no time. */
  val NoTime: Long = Long.MinValue

  private val SubstreamsPerMs = 100
}
