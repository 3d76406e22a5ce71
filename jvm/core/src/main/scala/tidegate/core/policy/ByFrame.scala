package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, WatermarkEmissionPolicy}

/** Admits a watermark that is in a higher frame than the last emitted one. */
private[core] final class ByFrame(sizeMs: Long, offsetMs: Long) extends WatermarkEmissionPolicy {
  Arguments.atLeast("sizeMs", sizeMs, 1, "ms")

  private val shiftMs = math.floorMod(offsetMs, sizeMs)

  override def admits(currentMs: Long, lastEmittedMs: Option[Long]): Boolean =
    currentMs != NoWatermark.Ms && lastEmittedMs.forall(frame(currentMs) > frame(_))

  /**
   * Divides before it applies the offset, because times near the lowest value would wrap around
   * otherwise.
   */
  private def frame(timestampMs: Long): Long = {
    val frame = math.floorDiv(timestampMs, sizeMs)
    if (math.floorMod(timestampMs, sizeMs) < shiftMs) frame - 1 else frame
  }
}
