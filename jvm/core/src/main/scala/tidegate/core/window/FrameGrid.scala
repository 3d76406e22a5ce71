package tidegate.core.window

/**
 * Windows that slide over frames. A frame is as long as the slide and is named by its start; the
 * window that ends at `e` has the frames from `e - size` up to `e - slide`. All times are in the
 * same unit, whichever it is.
 *
 * @param size
 *   from the start of a window to its end; a multiple of the slide
 * @param slide
 *   from one window to the next
 * @param offset
 *   where a frame begins, relative to 0
 */
final case class FrameGrid(size: Long, slide: Long, offset: Long) {
  require(
    slide > 0 && size > 0 && size % slide == 0,
    s"the size of windows must be a positive multiple of their slide; found size $size, slide $slide"
  )

  /** The number of frames in a window. */
  def framesInWindow: Long = size / slide

  /** The frame of a time. */
  def frameOf(time: Long): Long = time - Math.floorMod(time - offset, slide)

  /** The end of the last window that has ended at `time`: windows end where frames begin. */
  def lastEnd(time: Long): Long = frameOf(time)

  /** The end of the first window over a frame. */
  def firstEndOver(frame: Long): Long = frame + slide

  /** The end of the last window over a frame. */
  def lastEndOver(frame: Long): Long = frame + size

  /**
   * The first frame with a window that has not ended at `time`: times before this frame are late.
   */
  def firstOpenFrame(time: Long): Long = frameOf(time - size) + slide
}
