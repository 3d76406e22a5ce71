package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/**
 * Turns the timestamps seen on one substream, and the wall clock, into its watermark.
 *
 * One instance per substream. The wall clock is passed in and never read. If it jumps back, nothing
 * moves back: time stands still until the wall clock has caught up. The watermark of a policy never
 * goes back. Calculations stop at the bounds of `Long`; a watermark that would be `Long.MinValue`
 * counts as none. All times are in epoch milliseconds. Not thread-safe.
 *
 * Example:
 * {{{
 * val policy = PolicySpec("fixedLag", Seq(10)).create()
 * policy.observeEvent(timestampMs = 100, nowMs = 0) // Some(90)
 * policy.observeEvent(timestampMs = 50, nowMs = 1)  // Some(90)
 * }}}
 */
trait WatermarkPolicy {

  /**
   * Takes in the timestamp of an event that was read at `nowMs`; returns the watermark after it.
   *
   * Example: with a fixed lag of 10, `observeEvent(100, 0)` is `Some(90)`.
   */
  def observeEvent(timestampMs: Long, nowMs: Long): Option[Long]

  /**
   * The watermark at `nowMs`; `None` if there is none yet.
   *
   * Example: with a fixed lag of 10, it stays `Some(90)` after an event at 100.
   */
  def currentWatermark(nowMs: Long): Option[Long]

  /**
   * Whether the watermark can move without an event, so that callers must ask for it regularly.
   *
   * Example: it is false for a fixed lag.
   */
  def dependsOnWallClock: Boolean

  /**
   * The whole state of this policy, as a plain value for [[restore]].
   *
   * Example: `val saved = policy.snapshot`; later calls do not change `saved`.
   */
  def snapshot: WatermarkPolicy.Snapshot

  /**
   * Continues where the saved policy was. To be called on a new instance of the same policy with
   * the same parameters.
   *
   * Example: after `restore(saved, pausedMs = 60000)` a lull that had lasted 2 s when it was saved
   * has lasted 2 s at the wall clock's reading one minute later.
   *
   * @param pausedMs
   *   for how many ms the query was stopped: remembered moments of the wall clock are shifted by
   *   this pause, so that it does not count; a value below 0 (the clock was set back) counts as 0
   * @throws java.lang.IllegalArgumentException
   *   if the snapshot does not fit
   */
  def restore(snapshot: WatermarkPolicy.Snapshot, pausedMs: Long = 0): Unit

  /**
   * Continues from the watermark that another policy, or this one with other parameters, has
   * reached. To be called on a new instance. The watermark stays where it is until this policy is
   * above it; events and silences of before are not known.
   *
   * Example: a fixed lag of 10 that continues from 95 stays there after an event at 100, and is at
   * 110 after one at 120.
   *
   * @param watermarkMs
   *   the watermark that was reached
   * @param nowMs
   *   the wall clock; silence is counted from here on
   */
  def continueFrom(watermarkMs: Long, nowMs: Long): Unit
}

object WatermarkPolicy {

  /** What a policy remembers; the meaning of the values is the policy's own. */
  final case class Snapshot(values: Vector[Long])

  private[policy] def check(snapshot: Snapshot, wanted: String)(isWanted: Int => Boolean): Unit = {
    val size = snapshot.values.size
    if (!isWanted(size)) Arguments.refuse("snapshot", s"$size values", wanted)
  }

  /** Shifts a remembered moment of the wall clock by a pause. A missing moment stays missing. */
  private[policy] def shift(momentMs: Long, pausedMs: Long): Long =
    if (momentMs == NoWatermark.Ms) momentMs else Saturating.add(momentMs, math.max(0, pausedMs))
}
