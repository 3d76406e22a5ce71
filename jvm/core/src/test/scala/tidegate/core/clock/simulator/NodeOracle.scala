package tidegate.core.clock.simulator

import tidegate.core.clock._
import tidegate.core.clock.simulator.NodeOracle._
import tidegate.core.clock.simulator.PolicyRule.{Bounds, Seen}
import tidegate.core.policy.EmissionSpec

/**
 * The time of one watermark node. It keeps all that its substreams were ever told, and computes
 * their watermarks, the minimum and what is visible anew in each step.
 *
 * Some of it is taken from the clock, and only checked:
 *
 *   - The watermarks of a policy that may be early, which lie between two bounds.
 *   - Which substreams were forgotten. The clock looks for them now and then, so only whether each
 *     may be forgotten is checked.
 *
 * @param saved
 *   what was known when the checkpoint was made
 * @param pausedMs
 *   for how long the query was stopped
 */
private[simulator] final class NodeOracle(
    val spec: NodeSpec,
    saved: Known,
    pausedMs: Long,
    startedAtMs: Long
) {
  private val rule = new PolicyRule(spec.policy)
  private var parts = Map.empty[String, Boolean]
  private var awaitsParts = spec.hasParts
  private var partsSeenAtMs = Option.empty[Long]
  private var readUpToMs = Option.empty[Long]
  private var askedAtMs = PolicyRule.None
  private var emptyIdle = false
  private val emptySinceMs = math.min(saved.emptySinceMs.getOrElse(startedAtMs), startedAtMs)
  private var emitted = saved.emittedMs
  private var substreams = Map.empty[String, Known.Substream]
  private val pausesMs = saved.pausesMs + pausedMs

  /** At a start all substreams count, until it is known that they are silent. */
  substreams = saved.substreams.filter(_._2.isRead).map { case (name, s) =>
    val activeAtMs = math.min(s.activeAtMs, startedAtMs)
    name -> told(s.copy(activeAtMs = activeAtMs, isActive = true, isBehind = false), startedAtMs)
  }

  /** What a checkpoint that is made now has to hold. */
  def known: Known =
    Known(substreams, emitted, pausesMs, Option.when(substreams.isEmpty)(emptySinceMs))

  def isApproximate: Boolean = rule.isApproximate

  /** Whether anything may become visible: not before a source with parts has reported them. */
  def isOpen: Boolean = !awaitsParts

  def watermarkMs: Option[Long] = emitted
  def isUntouched: Boolean = substreams.isEmpty && emitted.isEmpty
  def idleNames: Set[String] = substreams.collect { case (name, s) if !s.isActive => name }.toSet
  def names: Set[String] = substreams.keySet
  def isIdle: Boolean = if (substreams.isEmpty) emptyIdle else active.isEmpty
  def mark: NodeMark = NodeMark(spec.key, emitted, isIdle)

  /** The watermark of a substream that counts in the minimum. */
  def shown(name: String): Bounds = {
    val s = substreams(name)
    rule(s.told.take(s.shown))
  }

  private def active = substreams.filter(_._2.isActive)

  /** Takes in what the source reports about its parts, or that it reports nothing. */
  def expect(unread: Option[Map[String, Boolean]], seenAtMs: Long): Unit = {
    awaitsParts = false
    unread.foreach { reported =>
      if (reported ne parts) {
        parts = reported
        askedAtMs = PolicyRule.None
        reported.foreach { case (name, isBehind) =>
          if (isBehind || spec.policy.isIngestionTime) add(name, seenAtMs)
        }
        substreams = substreams.map { case (name, s) =>
          val isThere = reported.contains(name)
          name -> s.copy(
            isBehind = reported.getOrElse(name, false),
            isRead = s.isRead && isThere,
            isActive = s.isActive && isThere
          )
        }
      }
      substreams.keys.filter(substreams(_).isBehind).foreach(awake(_, seenAtMs))
      partsSeenAtMs = Some(seenAtMs)
    }
  }

  /** Takes in the times that batches saw, in µs. */
  def observe(times: Map[String, Seq[Long]], seenAtMs: Long, nowMs: Long): Unit =
    if (times.nonEmpty) {
      times.keys.foreach { name =>
        add(name, seenAtMs)
        awake(name, seenAtMs)
        change(name)(_.copy(isRead = true))
      }
      times.foreach { case (name, all) =>
        all.filter(_ != SubstreamClock.NoTime).maxOption.foreach { us =>
          change(name)(told(_, nowMs, Math.floorDiv(us, 1000L)))
        }
      }
      if (times.exists(_._2.forall(_ == SubstreamClock.NoTime))) askedAtMs = PolicyRule.None
      emit(nowMs)
    }

  /** Applies the wall clock, and silence, as far as it is known that nothing is left to read. */
  def tick(nowMs: Long, caughtUpAtMs: Option[Long], isShown: String => Option[Long]): Unit = {
    readUpToMs = partsSeenAtMs.orElse(caughtUpAtMs)
    val moment = if (spec.policy.isIngestionTime) readUpToMs else Some(nowMs)
    if (spec.policy.dependsOnWallClock && moment.exists(_ > askedAtMs)) {
      askedAtMs = moment.get
      active.keys.foreach(change(_)(told(_, nowMs)))
      emit(nowMs)
    }
    if (parts.nonEmpty) leaveOutUnread()
    for (timeout <- spec.idleTimeoutMs; until <- readUpToMs) leaveOutSilent(timeout, until, isShown)
    emit(nowMs)
  }

  def end(): Unit = if (!emitted.exists(_ >= SubstreamClock.EndOfTimeMs)) {
    emitted = Some(SubstreamClock.EndOfTimeMs)
  }

  /** Whether the clock may forget these substreams. */
  def mayForget(gone: Set[String]): Boolean = {
    val furthestMs = (names -- gone).map(shown(_).highMs).maxOption
    gone.forall { name =>
      val s = substreams(name)
      val isSilent = spec.forgetAfterMs.exists(ms => readUpToMs.exists(_ - s.activeAtMs >= ms))
      val isPassed = emitted.exists(_ >= shown(name).lowMs)
      // The furthest stays: time goes on with it when all are idle.
      furthestMs.exists(_ >= shown(name).lowMs) && isSilent && !parts.contains(name) &&
      (spec.policy.isIngestionTime || !s.isActive && isPassed)
    }
  }

  def forget(gone: Set[String], nowMs: Long): Unit = if (gone.nonEmpty) {
    substreams --= gone
    emit(nowMs)
  }

  /** Takes over the watermark of a clock, where this one is only known within bounds. */
  def takeOver(watermarkMs: Option[Long]): Unit = emitted = watermarkMs

  /** What would be visible if every advance was. `isShown` has the values between bounds. */
  def ideal(isShown: String => Option[Long]): Bounds = {
    def value(name: String) =
      if (isApproximate) { val ms = isShown(name).getOrElse(PolicyRule.None); Bounds(ms, ms) }
      else shown(name)
    if (substreams.isEmpty) Nothing
    else if (active.nonEmpty) {
      val all = active.keys.map(value)
      Bounds(all.map(_.lowMs).min, all.map(_.highMs).min)
    } else {
      // All are idle: with a policy that follows the wall clock, time goes on.
      val goesOn = spec.policy.dependsOnWallClock
      val all =
        substreams.keys.map(name => if (goesOn) rule(substreams(name).told) else value(name))
      Bounds(all.map(_.lowMs).max, all.map(_.highMs).max)
    }
  }

  /** Whether the emission lets a watermark out, by its rule. */
  def admits(ms: Long): Boolean = ms != PolicyRule.None && emitted.forall { last =>
    val EmissionSpec(name, sizeMs, offsetMs) = spec.emission
    def frame(ms: Long) = Math.floorDiv(ms - offsetMs, sizeMs)
    if (name == "byFrame") frame(ms) > frame(last) else ms - last >= sizeMs
  }

  private def emit(nowMs: Long): Unit = if (!awaitsParts) {
    if (isIdle && spec.policy.dependsOnWallClock) {
      substreams = substreams.map { case (name, s) =>
        name -> told(s, nowMs).copy(shown = s.shown)
      }
    }
    if (!isApproximate) {
      val ms = ideal(_ => None).lowMs
      if (admits(ms)) emitted = Some(ms)
    }
  }

  private def leaveOutUnread(): Unit =
    if (!spec.policy.isIngestionTime && substreams.exists(_._2.isRead))
      substreams.foreach { case (name, s) =>
        if (!s.isRead && !s.isBehind) change(name)(_.copy(isActive = false))
      }

  private def leaveOutSilent(timeoutMs: Long, untilMs: Long, isShown: String => Option[Long]) = {
    if (substreams.isEmpty && untilMs >= emptySinceMs + timeoutMs) emptyIdle = true
    lazy val values = names.map { name =>
      name -> (if (isApproximate) isShown(name).getOrElse(PolicyRule.None) else shown(name).lowMs)
    }.toMap
    val silent = active.filter { case (name, s) =>
      val waitsMs = spec.idleBehindMs match {
        case Some(ms) if values(name) < values.values.max => math.max(ms, timeoutMs)
        case _                                            => timeoutMs
      }
      untilMs >= s.activeAtMs + waitsMs
    }
    silent.keys.foreach(change(_)(_.copy(isActive = false)))
  }

  private def add(name: String, activeAtMs: Long): Unit =
    if (!substreams.contains(name)) substreams += name -> Known.Substream(activeAtMs)

  private def awake(name: String, seenAtMs: Long): Unit = change(name) { s =>
    s.copy(activeAtMs = math.max(s.activeAtMs, seenAtMs), isActive = true)
  }

  private def change(name: String)(how: Known.Substream => Known.Substream): Unit =
    substreams += name -> how(substreams(name))

  /** Tells a substream's policy of an event, or of the time alone, and lets its watermark count. */
  private def told(
      s: Known.Substream,
      nowMs: Long,
      eventMs: Long = PolicyRule.None
  ): Known.Substream = {
    val wallMs =
      if (!spec.policy.isIngestionTime) nowMs
      else if (s.isBehind) PolicyRule.None
      else readUpToMs.getOrElse(PolicyRule.None)
    val all = s.told :+ Seen(eventMs, wallMs, nowMs - pausesMs)
    s.copy(told = all, shown = all.size)
  }
}

private[simulator] object NodeOracle {

  private val Nothing = Bounds(PolicyRule.None, PolicyRule.None)

  /**
   * What is known of a node, as a checkpoint has to hold it.
   *
   * @param pausesMs
   *   for how long the query was ever stopped
   * @param emptySinceMs
   *   since when there are no substreams
   */
  final case class Known(
      substreams: Map[String, Known.Substream] = Map.empty,
      emittedMs: Option[Long] = None,
      pausesMs: Long = 0L,
      emptySinceMs: Option[Long] = None
  )

  object Known {

    /**
     * @param told
     *   all that its policy was ever told
     * @param shown
     *   how much of that had been told when its watermark last counted
     */
    final case class Substream(
        activeAtMs: Long,
        told: Vector[Seen] = Vector.empty,
        shown: Int = 0,
        isActive: Boolean = true,
        isRead: Boolean = false,
        isBehind: Boolean = false
    )
  }
}
