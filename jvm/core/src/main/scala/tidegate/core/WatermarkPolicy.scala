package tidegate.core

import tidegate.core.policy._

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
 * val policy = WatermarkPolicy.fixedLag(lagMs = 10)
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
   * Example: `WatermarkPolicy.fixedLag(10).dependsOnWallClock` is false.
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
   * Goes on from the watermark that another policy, or this one with other parameters, has reached.
   * To be called on a new instance. The watermark stays where it is until this policy is above it;
   * events and silences of before are not known.
   *
   * Example: a fixed lag of 10 that goes on from 95 stays there after an event at 100, and is at
   * 110 after one at 120.
   *
   * @param watermarkMs
   *   the watermark that was reached
   * @param nowMs
   *   the wall clock; silence is counted from here on
   */
  def goOnFrom(watermarkMs: Long, nowMs: Long): Unit
}

/**
 * The policies. Each method returns a new instance, and throws `IllegalArgumentException` with a
 * sentence if one of its durations is below 0. All durations are in milliseconds.
 */
object WatermarkPolicy {

  /** What a policy remembers; the meaning of the values is the policy's own. */
  final case class Snapshot(values: Vector[Long])

  /**
   * The highest timestamp seen, minus `lagMs`.
   *
   * Example: with a lag of 10, events at 100 and 50 give 90 and 90.
   */
  def fixedLag(lagMs: Long): WatermarkPolicy = new FixedLag(lagMs)

  /**
   * As [[fixedLag]], but the watermark also reaches every timestamp at most `maxDelayMs` after it
   * was observed. The watermark is never above the highest timestamp seen.
   *
   * A timestamp may be reached early, by less than `maxDelayMs / 16`, never late: moments are kept
   * in at most 16 buckets.
   *
   * Example: with a lag of 50 and a delay of 16, an event at 100 gives 50, and 100 from 16 ms later
   * on.
   */
  def limitingLagAndDelay(lagMs: Long, maxDelayMs: Long): WatermarkPolicy =
    new LimitingLagAndDelay(lagMs, maxDelayMs)

  /**
   * As [[fixedLag]]; once no event has come for `maxLullMs`, the watermark advances in lockstep
   * with the wall clock, even past the highest timestamp. Before the first event there is no
   * watermark.
   *
   * Any event, even an old one, restarts the timer from the watermark that was last returned: a
   * lull leaves no trace if the watermark was not asked for during it.
   *
   * Example: with a lag of 2 and a lull of 3, an event at 12 gives 10, and 107 when asked 100 ms
   * later.
   */
  def limitingLagAndLull(lagMs: Long, maxLullMs: Long): WatermarkPolicy =
    new LimitingLagAndLull(lagMs, maxLullMs)

  /**
   * The higher of: highest timestamp minus `timestampLagMs`, wall clock minus `wallClockLagMs`.
   * This policy has a watermark even before the first event.
   *
   * Example: with lags of 3 and 10, an event at 94 read at 100 gives 91; asked at 106, 96.
   */
  def limitingTimestampAndWallClockLag(
      timestampLagMs: Long,
      wallClockLagMs: Long
  ): WatermarkPolicy = new LimitingTimestampAndWallClockLag(timestampLagMs, wallClockLagMs)
}
