package tidegate.core.window

import tidegate.core.Saturating

/**
 * What happens to frames when the windows over them are changed: each old frame goes into the new
 * frame in which it ends. All times are in the same unit.
 */
final case class WindowChange(from: FrameGrid, to: FrameGrid) {

  /** Whether every old frame lies in one new frame. */
  def keepsFramesWhole: Boolean =
    to.slide % from.slide == 0 && Math.floorMod(to.offset - from.offset, from.slide) == 0

  /** The new frame of an old one. */
  def moved(frame: Long): Long = to.frameOf(Saturating.add(frame, from.slide - 1))

  /**
   * The first and last end of the new windows that reach back to frames that have already left the
   * state, if the change is made at `watermark`. `None` if all frames are there.
   */
  def purged(watermark: Long): Option[(Long, Long)] = {
    val firstEnd = Saturating.add(to.lastEnd(watermark), to.slide)
    // A window that begins at or after the first present frame has all of its frames.
    val lastEnd = to.lastEndBegunBefore(from.firstOpenFrame(watermark))
    if (lastEnd < firstEnd || watermark == FrameGrid.EndOfTime) None else Some(firstEnd -> lastEnd)
  }
}
