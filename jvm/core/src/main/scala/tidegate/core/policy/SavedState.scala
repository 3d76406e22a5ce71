package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating, WatermarkPolicy}

/** What restoring has in common for all policies. */
private[policy] object SavedState {

  def check(snapshot: WatermarkPolicy.Snapshot, fits: Boolean, wanted: String): Unit =
    if (!fits) Arguments.refuse("snapshot", s"${snapshot.values.size} values", wanted)

  /** A remembered moment of the wall clock after a pause. A moment that never was stays that. */
  def shift(momentMs: Long, pausedMs: Long): Long =
    if (momentMs == NoWatermark.Ms) momentMs else Saturating.add(momentMs, math.max(0, pausedMs))
}
