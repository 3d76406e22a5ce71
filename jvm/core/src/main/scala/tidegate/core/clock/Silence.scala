package tidegate.core.clock

import scala.collection.mutable

/**
 * The silence of the substreams of a node: which are left out, which are forgotten, and which the
 * log names because they hold back the others.
 *
 * @param emptySinceMs
 *   since when a node without substreams is silent
 * @param startedAtMs
 *   the wall clock at the start
 * @param pausedMs
 *   for how long the query was stopped
 */
private[clock] final class Silence(
    spec: NodeSpec,
    substreams: Substreams,
    changes: NodeChanges,
    val emptySinceMs: Long,
    startedAtMs: Long,
    pausedMs: Long
) {
  private var isEmptyIdle = false
  private var idleDueMs = Long.MinValue
  private var forgetDueMs = Long.MinValue

  /** Whether all substreams are idle; a node without any is idle after the same timeout. */
  def isOfAll: Boolean = if (substreams.isEmpty) isEmptyIdle else substreams.areIdle

  /** After how long a substream is left out that is behind the others; `None` is never. */
  def behindMs: Option[Long] = spec.idleTimeoutMs.map(behindMs(_))

  /** To be called when a substream may be due earlier than it was. */
  def lookAgain(): Unit = idleDueMs = Long.MinValue

  def leaveOut(substream: Substream): Unit = if (substreams.deactivate(substream)) changes.note()

  /**
   * Leaves out the substreams that have been silent for too long.
   *
   * @param untilMs
   *   up to this moment all rows are read
   * @return
   *   whether one could be due
   */
  def leaveOutSilent(untilMs: Long): Boolean = spec.idleTimeoutMs.exists { timeoutMs =>
    val isDue = untilMs >= idleDueMs
    if (isDue) findIdle(timeoutMs, untilMs)
    isDue
  }

  private def findIdle(timeoutMs: Long, untilMs: Long): Unit = {
    if (substreams.isEmpty && !isEmptyIdle && untilMs >= emptySinceMs + timeoutMs) {
      isEmptyIdle = true
      changes.note()
    }
    idleDueMs = if (substreams.isEmpty && !isEmptyIdle) emptySinceMs + timeoutMs else Long.MaxValue
    val idle = mutable.ArrayBuffer.empty[Substream]
    substreams.active.foreach { s =>
      val dueMs = idleAtMs(s, timeoutMs)
      if (untilMs >= dueMs) idle += s else idleDueMs = math.min(idleDueMs, dueMs)
    }
    idle.foreach(leaveOut)
    if (idle.nonEmpty) changes.add(ClockEvent.FellIdle(spec.name, idle.map(_.name).sorted.toSeq))
  }

  private def idleAtMs(substream: Substream, timeoutMs: Long): Long =
    substream.activeAtMs +
      (if (substreams.isOvertaken(substream)) behindMs(timeoutMs) else timeoutMs)

  private def behindMs(timeoutMs: Long): Long =
    spec.idleBehindMs.fold(timeoutMs)(math.max(_, timeoutMs))

  /**
   * Whether what holds time back would be left out if it were known that the sources have no more
   * rows.
   */
  def holdsTime(nowMs: Long): Boolean = spec.idleTimeoutMs.exists { timeoutMs =>
    if (substreams.isEmpty) !isEmptyIdle && nowMs >= emptySinceMs + timeoutMs
    else substreams.holder.exists(s => !s.isBehind && nowMs >= idleAtMs(s, timeoutMs))
  }

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
    else substreams.active.exists(s => !s.isBehind && matters(idleAtMs(s, timeoutMs)))
  }

  /**
   * A substream that is idle and that the watermark has passed is forgotten: when it comes back, it
   * is a new one. One of append times is never idle, but what comes later is appended later. The
   * furthest stays, because time follows it when all are idle.
   *
   * @param untilMs
   *   up to this moment all rows are read
   * @param watermarkMs
   *   the visible watermark
   * @param isReported
   *   whether the source still has a substream
   * @return
   *   whether a substream was forgotten: one of append times has held back the others until now
   */
  def forget(untilMs: Long, watermarkMs: Option[Long])(isReported: Substream => Boolean): Boolean =
    spec.forgetAfterMs.filter(_ => untilMs >= forgetDueMs).exists { afterMs =>
      val isIngestionTime = spec.policy.isIngestionTime
      val (due, others) = substreams.all
        .filter(s => (isIngestionTime || !substreams.isActive(s)) && !isReported(s))
        .toSeq
        .partition(s => untilMs - s.activeAtMs >= afterMs)
      def isPassed(s: Substream) =
        watermarkMs.exists(passed => substreams.watermarkMs(s).forall(_ <= passed))
      val furthest = substreams.furthest
      val gone = due.filter(s => (isIngestionTime || isPassed(s)) && !furthest.contains(s))
      gone.foreach(substreams.remove)
      if (gone.nonEmpty) {
        changes.note()
        changes.add(ClockEvent.Forgotten(spec.name, gone.map(_.name).sorted))
      }
      // What becomes idle later is due later.
      forgetDueMs = (others.map(_.activeAtMs + afterMs) :+ (untilMs + afterMs / 16 + 1)).min
      gone.nonEmpty
    }

  /** Logs once a substream that holds back the others by a silence that may be none. */
  def log(nowMs: Long): Unit =
    for {
      timeoutMs <- spec.idleTimeoutMs
      s <- substreams.holder
      silentMs = nowMs - s.activeAtMs
      if !s.isLogged && substreams.isOvertaken(s) && silentMs > behindMs(timeoutMs)
    } {
      s.isLogged = true
      changes.add(ClockEvent.HeldBack(spec.name, s.name, silentMs, timeoutMs))
    }
}
