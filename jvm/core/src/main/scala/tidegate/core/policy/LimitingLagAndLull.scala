package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating, WatermarkPolicy}

/** Fixed lag that advances with the wall clock when no event has come for `maxLullMs`. */
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
    SavedState.check(snapshot, "4 values")(_ == 4)
    watermarkMs = snapshot.values(0)
    watermarkAtEventMs = snapshot.values(1)
    lastEventMs = SavedState.shift(snapshot.values(2), pausedMs)
    latestNowMs = SavedState.shift(snapshot.values(3), pausedMs)
  }

  override def goOnFrom(watermarkMs: Long, nowMs: Long): Unit = {
    this.watermarkMs = watermarkMs
    watermarkAtEventMs = watermarkMs
    lastEventMs = nowMs
    latestNowMs = nowMs
  }
}
