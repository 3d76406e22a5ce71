package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating, WatermarkPolicy}

/** What all policies share when they restore a snapshot. */
private[policy] object SavedState {

  def check(snapshot: WatermarkPolicy.Snapshot, wanted: String)(isWanted: Int => Boolean): Unit = {
    val size = snapshot.values.size
    if (!isWanted(size)) Arguments.refuse("snapshot", s"$size values", wanted)
  }

  /** Shifts a remembered moment of the wall clock by a pause. A missing moment stays missing. */
  def shift(momentMs: Long, pausedMs: Long): Long =
    if (momentMs == NoWatermark.Ms) momentMs else Saturating.add(momentMs, math.max(0, pausedMs))
}
