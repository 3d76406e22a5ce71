package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/**
 * The higher of two times: the highest timestamp minus a lag, and the wall clock minus a lag. So
 * there is a watermark even before the first event.
 *
 * Remembers no moment of the wall clock, only the watermark that was reached: it accounts for the
 * highest timestamp, and stands still while the wall clock is behind.
 */
private[core] final class LimitingTimestampAndWallClockLag(
    timestampLagMs: Long,
    wallClockLagMs: Long
) extends WatermarkPolicy {
  Arguments.atLeast("timestampLagMs", timestampLagMs, 0, "ms")
  Arguments.atLeast("wallClockLagMs", wallClockLagMs, 0, "ms")

  private var watermarkMs = NoWatermark.Ms

  override def observeEvent(timestampMs: Long, nowMs: Long): Option[Long] = {
    watermarkMs = math.max(watermarkMs, Saturating.subtract(timestampMs, timestampLagMs))
    currentWatermark(nowMs)
  }

  override def currentWatermark(nowMs: Long): Option[Long] = {
    watermarkMs = math.max(watermarkMs, Saturating.subtract(nowMs, wallClockLagMs))
    NoWatermark.toOption(watermarkMs)
  }

  override def dependsOnWallClock: Boolean = true

  override def snapshot: WatermarkPolicy.Snapshot = WatermarkPolicy.Snapshot(Vector(watermarkMs))

  override def restore(snapshot: WatermarkPolicy.Snapshot, pausedMs: Long): Unit = {
    WatermarkPolicy.check(snapshot, "1 value")(_ == 1)
    watermarkMs = snapshot.values(0)
  }

  override def continueFrom(watermarkMs: Long, nowMs: Long): Unit = this.watermarkMs = watermarkMs
}
