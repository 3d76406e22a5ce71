package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/** The highest timestamp minus a lag: with a lag of 10, events at 100 and 50 give 90 and 90. */
private[core] final class FixedLag(lagMs: Long) extends WatermarkPolicy {
  Arguments.atLeast("lagMs", lagMs, 0, "ms")

  private var watermarkMs = NoWatermark.Ms

  override def observeEvent(timestampMs: Long, nowMs: Long): Option[Long] = {
    watermarkMs = math.max(watermarkMs, Saturating.subtract(timestampMs, lagMs))
    currentWatermark(nowMs)
  }

  override def currentWatermark(nowMs: Long): Option[Long] = NoWatermark.toOption(watermarkMs)

  override def dependsOnWallClock: Boolean = false

  override def snapshot: WatermarkPolicy.Snapshot = WatermarkPolicy.Snapshot(Vector(watermarkMs))

  override def restore(snapshot: WatermarkPolicy.Snapshot, pausedMs: Long): Unit = {
    WatermarkPolicy.check(snapshot, "1 value")(_ == 1)
    watermarkMs = snapshot.values(0)
  }

  override def continueFrom(watermarkMs: Long, nowMs: Long): Unit = this.watermarkMs = watermarkMs
}
