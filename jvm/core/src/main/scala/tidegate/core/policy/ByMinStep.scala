package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating, WatermarkEmissionPolicy}

/** Admits a watermark that is at least a step above the last emitted one. */
private[core] final class ByMinStep(stepMs: Long) extends WatermarkEmissionPolicy {
  Arguments.atLeast("stepMs", stepMs, 1, "ms")

  override def admits(currentMs: Long, lastEmittedMs: Option[Long]): Boolean =
    currentMs != NoWatermark.Ms &&
      lastEmittedMs.forall(Saturating.subtract(currentMs, _) >= stepMs)
}
