package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/**
 * As [[FixedLag]]; once no event has come for `maxLullMs`, the watermark advances in lockstep with
 * the wall clock, even past the highest timestamp. Before the first event there is no watermark.
 *
 * Any event, even an old one, restarts the timer from the watermark that was last returned: a lull
 * leaves no trace if the watermark was not asked for during it.
 */
private[core] final class LimitingLagAndLull(lagMs: Long, maxLullMs: Long) extends WatermarkPolicy {
  Arguments.atLeast("lagMs", lagMs, 0, "ms")
  Arguments.atLeast("maxLullMs", maxLullMs, 0, "ms")

  private var watermarkMs = NoWatermark.Ms
  private var watermarkAtEventMs = NoWatermark.Ms
  private var lastEventMs = NoWatermark.Ms
  private var latestNowMs = NoWatermark.Ms

  /**
   * Does not first advance the watermark by the time since it was last asked for: the event may
   * have come before the lull was visible to anyone, and an advance that nobody saw must not make
   * it late.
   */
  override def observeEvent(timestampMs: Long, nowMs: Long): Option[Long] = {
    latestNowMs = math.max(latestNowMs, nowMs)
    lastEventMs = latestNowMs
    watermarkMs = math.max(watermarkMs, Saturating.subtract(timestampMs, lagMs))
    watermarkAtEventMs = watermarkMs
    currentWatermark(nowMs)
  }

  override def currentWatermark(nowMs: Long): Option[Long] = {
    latestNowMs = math.max(latestNowMs, nowMs)
    if (watermarkAtEventMs != NoWatermark.Ms) {
      val silenceMs = Saturating.subtract(latestNowMs, lastEventMs)
      val pastLullMs = math.max(0, Saturating.subtract(silenceMs, maxLullMs))
      watermarkMs = Saturating.add(watermarkAtEventMs, pastLullMs)
    }
    NoWatermark.toOption(watermarkMs)
  }

  override def dependsOnWallClock: Boolean = true

  override def snapshot: WatermarkPolicy.Snapshot =
    WatermarkPolicy.Snapshot(Vector(watermarkMs, watermarkAtEventMs, lastEventMs, latestNowMs))

  override def restore(snapshot: WatermarkPolicy.Snapshot, pausedMs: Long): Unit = {
    WatermarkPolicy.check(snapshot, "4 values")(_ == 4)
    watermarkMs = snapshot.values(0)
    watermarkAtEventMs = snapshot.values(1)
    lastEventMs = WatermarkPolicy.shift(snapshot.values(2), pausedMs)
    latestNowMs = WatermarkPolicy.shift(snapshot.values(3), pausedMs)
  }

  override def continueFrom(watermarkMs: Long, nowMs: Long): Unit = {
    this.watermarkMs = watermarkMs
    watermarkAtEventMs = watermarkMs
    lastEventMs = nowMs
    latestNowMs = nowMs
  }
}
