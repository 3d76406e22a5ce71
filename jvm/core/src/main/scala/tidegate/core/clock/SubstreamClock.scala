package tidegate.core.clock

import scala.collection.immutable.SortedMap

import tidegate.core.EndOfTime
import tidegate.core.figures.{SubstreamFigures, WatermarkDetail, WatermarkFigures}
import tidegate.core.policy.WatermarkPolicy

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
 *   silence: a substream without rows in what came meanwhile was silent all the time
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
  private val changes = new NodeChanges
  private val substreams = new Substreams(spec, changes)
  private var emitted = savedWatermarkMs

  private val silence = {
    val emptySinceMs = saved.sinceMs.fold(startedAtMs)(math.min(_, startedAtMs))
    new Silence(spec, substreams, changes, emptySinceMs, startedAtMs, pausedMs)
  }
  private var tickedAtMs = Long.MinValue
  private var isDue = false

  private val parts = new ReportedParts(spec, substreams, silence, changes)
  private var readUpToMs: Option[Long] = None
  private val held = new HeldTime(startedAtMs, spec.stallMs)
  private var lastRowAtMs = Option.empty[Long]

  /** The last that time has waited for, the latest first. */
  private var lastHolders = Vector.empty[Substream]

  if (saved.substreams.nonEmpty) restore()

  private def restore(): Unit = saved.origin match {
    case Some(origin) if origin.columns != spec.columns =>
      changes.add(ClockEvent.ColumnsChanged(spec.name, origin.columns, spec.columns, emitted))
    case origin =>
      val changed = origin.map(_.policy).filter(_ != spec.policy)
      changed.foreach { old =>
        changes.add(ClockEvent.PolicyChanged(spec.name, old, spec.policy))
      }
      saved.substreams.foreach(restore(_, isOfOtherPolicy = changed.isDefined))
      changes.add(ClockEvent.Restored(spec.name, saved.substreams.size, emitted))
  }

  private def restore(old: SavedSubstream, isOfOtherPolicy: Boolean): Unit = {
    val substream = substreams.add(old.name, math.min(old.activeAtMs, startedAtMs))
    substream.isRead = true
    if (isOfOtherPolicy) old.watermarkMs.foreach(substream.policy.continueFrom(_, startedAtMs))
    else substream.policy.restore(WatermarkPolicy.Snapshot(old.values), pausedMs)
    advance(substream, startedAtMs)
  }

  /** The visible watermark, in epoch ms. */
  def watermarkMs: Option[Long] = emitted

  /**
   * Whether all substreams are idle; a stream without substreams is idle after the same timeout.
   */
  def isIdle: Boolean = silence.isOfAll

  /** Whether nothing was ever observed. */
  def isUntouched: Boolean = substreams.isEmpty && emitted.isEmpty

  /** A number that grows whenever something in this node changes. */
  def version: Long = changes.version

  def mark: NodeMark = NodeMark(spec.key, emitted, isIdle)

  def snapshot: NodeState = NodeState(
    substreams.all
      .filter(_.isRead)
      .map(s => SavedSubstream(s.name, s.policy.snapshot.values, s.activeAtMs))
      .toVector,
    Some(spec.origin),
    if (substreams.isEmpty) Some(silence.emptySinceMs) else None
  )

  /**
   * The figures of this moment. Their cost does not depend on the number of substreams, unless they
   * are detailed.
   */
  def figures(detailed: Boolean): WatermarkFigures = {
    val by = substreams.holder
    WatermarkFigures(
      spec.key.toInt,
      emitted,
      isIdle,
      by.map(_.name),
      by.map(_ => held.heldSinceMs),
      by.fold(0L)(substreams.distanceMs),
      substreams.activeCount,
      substreams.size - substreams.activeCount,
      parts.behindCount,
      held.movedAtMs,
      holders = holderTimes,
      detail = Option.when(detailed)(detail)
    )
  }

  private def holderTimes = SortedMap.from(for {
    s <- lastHolders
    if substreams.contains(s.name) && (substreams(s.name) eq s)
    ms <- substreams.watermarkMs(s)
  } yield s.name -> ms)

  private def detail = WatermarkDetail(
    substreams.all.map { s =>
      val watermarkMs = substreams.watermarkMs(s)
      val isIdle = !substreams.isActive(s)
      s.name -> SubstreamFigures(watermarkMs, isIdle, s.activeAtMs, s.isRead, s.isBehind, s.newAtMs)
    }.toMap,
    spec.columns,
    goesWithWallClock,
    silence.behindMs,
    startedAtMs,
    silence.emptySinceMs,
    lastRowAtMs,
    held.lookedAtMs,
    held.isStalled
  )

  /** What has happened since this was last asked, for the log. */
  def takeEvents(): Seq[ClockEvent] = changes.takeEvents()

  /** Whether event time has ended. */
  def isAtEnd: Boolean = emitted.exists(_ >= EndOfTimeMs)

  /** Ends event time: no event is expected any more. */
  def end(): Unit = if (!isAtEnd) {
    emitted = Some(EndOfTimeMs)
    changes.note()
    changes.add(ClockEvent.Ended(spec.name))
  }

  /** Takes in what the source reports about its parts: see [[ReportedParts.expect]]. */
  def expect(unread: Option[Map[String, Boolean]], seenAtMs: Long): Unit = {
    // What was observed while the parts were awaited becomes visible now, also if there are none.
    if (parts.areAwaited) isDue = true
    if (parts.expect(unread, seenAtMs)) {
      isDue = true
      // A part that is new, or not behind any more, gets a time at once, not when the wall clock
      // moves again.
      tickedAtMs = Long.MinValue
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
      substreams.addAll(seen.tops.keys, seenAtMs)
      val speaking = seen.tops.iterator.map { case (name, micros) =>
        substreams(name) -> micros
      }.toSeq
      val back = speaking.collect { case (s, _) if !substreams.isActive(s) => s }
      back.foreach { s =>
        val pauseMs = seenAtMs - s.activeAtMs
        seen.late.get(s.name).foreach { rows =>
          changes.add(ClockEvent.LateAfterIdle(spec.name, s.name, pauseMs, rows))
        }
      }
      if (back.nonEmpty) changes.add(ClockEvent.CameBack(spec.name, back.map(_.name).sorted))
      // All substreams become active before any time moves: otherwise an idle one would become
      // active too late to hold back the others.
      speaking.foreach { case (s, _) =>
        substreams.activate(s, seenAtMs)
        // With the first event, parts that were read to their end without one are left out.
        isDue ||= parts.areReported && !s.isRead
        s.isRead = true
        s.isLogged = false
      }
      speaking.foreach { case (s, micros) => if (micros != NoTime) observe(s, micros, nowMs) }
      // The wall clock gives those without a usable time theirs at once, as after a restart.
      if (speaking.exists(_._2 == NoTime)) tickedAtMs = Long.MinValue
      silence.lookAgain()
      changes.note()
      lastRowAtMs = Some(seenAtMs)
      emit(nowMs)
      silence.log(nowMs)
    }

  private def observe(substream: Substream, micros: Long, nowMs: Long): Unit = {
    val ms = Math.floorDiv(micros, 1000L)
    substreams.raise(substream, substream.policy.observeEvent(ms, wallClockOf(substream, nowMs)))
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
    readUpToMs = parts.seenAtMs.orElse(caughtUpAtMs)
    // An idle query asks some 95 times a second: with many substreams, they are checked less often.
    val moment = if (spec.policy.isIngestionTime) readUpToMs else Some(nowMs)
    val due = moment.filter(_ - substreams.size / SubstreamsPerMs > tickedAtMs)
    if (goesWithWallClock && due.isDefined) {
      tickedAtMs = due.get
      substreams.active.foreach(advance(_, nowMs))
      // Without an event, another substream may be behind now.
      if (spec.idleBehindMs.isDefined) silence.lookAgain()
      emit(nowMs)
    }
    // Not earlier: the batch that read a part to its end may have shown its first rows.
    if (isDue) parts.leaveOutUnread()
    if (readUpToMs.exists(silence.leaveOutSilent)) isDue = true
    if (isDue) emit(nowMs)
    isDue = false
    if (readUpToMs.exists(silence.forget(_, emitted)(parts.isReported))) emit(nowMs)
    if (nowMs - startedAtMs > spec.idleTimeoutMs.getOrElse(Long.MaxValue)) silence.log(nowMs)
    noteHeldTime(nowMs)
  }

  /** With what the emission policy keeps back: a watermark that moves once an hour is not held. */
  private def noteHeldTime(nowMs: Long): Unit = {
    val timeMs = (substreams.lowestMs ++ emitted).maxOption.getOrElse(Long.MinValue)
    val holder = substreams.holder
    held.note(timeMs, holder, isIdle || isAtEnd, nowMs)
    holder.filterNot(lastHolders.headOption.contains).foreach { s =>
      lastHolders = (s +: lastHolders.filterNot(_ eq s)).take(WatermarkFigures.MostHolders)
    }
    held.takeStall(nowMs).foreach { stillMs =>
      changes.add(
        ClockEvent.Stalled(
          spec.name,
          emitted,
          stillMs,
          holder.map(_.name),
          holder.fold(0L)(substreams.distanceMs),
          nowMs - holder.fold(silence.emptySinceMs)(_.activeAtMs),
          holder.exists(_.isBehind)
        )
      )
    }
  }

  /** As [[Silence.holdsTime]]. */
  def isHeldBySilence(nowMs: Long): Boolean = !isAtEnd && silence.holdsTime(nowMs)

  /** As [[Silence.isOverdue]]. */
  def isOverdue(nowMs: Long, hasRows: Boolean): Boolean = silence.isOverdue(nowMs, hasRows)

  private def advance(substream: Substream, nowMs: Long): Unit =
    substreams.raise(substream, substream.policy.currentWatermark(wallClockOf(substream, nowMs)))

  /**
   * The wall clock that a policy is given. Append times follow the moment up to which the substream
   * is read: rows that the source had by then were appended before.
   */
  private def wallClockOf(substream: Substream, nowMs: Long): Long =
    if (!spec.policy.isIngestionTime) nowMs
    else if (substream.isBehind) Long.MinValue
    else readUpToMs.getOrElse(Long.MinValue)

  private def emit(nowMs: Long): Unit =
    if (!parts.areAwaited) {
      idealMs(nowMs)
        .filter(w => emitted.forall(w > _) && spec.emission.admits(w, emitted))
        .foreach { w =>
          emitted = Some(w)
          changes.note()
        }
    }

  /** While all substreams are idle, time advances if the policy follows the wall clock. */
  private def idealMs(nowMs: Long): Option[Long] =
    if (isIdle && goesWithWallClock)
      substreams.all
        .flatMap(s => s.policy.currentWatermark(wallClockOf(s, nowMs)))
        .maxOption
    else substreams.lowestMs
}

object SubstreamClock {

  /** The last millisecond of TIMESTAMP, in epoch ms: everything that has a time is before it. */
  val EndOfTimeMs: Long = EndOfTime.Ms

  /** In place of a time: events were seen, but all were too far in the future or had no time. */
  val NoTime: Long = Long.MinValue

  private val SubstreamsPerMs = 100
}
