package tidegate.core.window

import tidegate.core.Saturating

/**
 * Windows over frames. A frame is as long as the slide and is named by its start. All times are in
 * the same unit, whichever it is.
 *
 * The window that begins at `s` and slides has the frames from `s` up to `s + size - slide`, and
 * ends at `s + size`. Windows that grow begin at every `size`: the one that ends at `e` has the
 * frames from the last such time before `e` up to `e - slide`.
 *
 * The last windows begin within the range of `Long` and end beyond it. They close at the end of
 * time; nothing overflows.
 *
 * @param size
 *   from the start of a window to its end; a multiple of the slide
 * @param slide
 *   from one window to the next
 * @param offset
 *   where a frame begins, relative to 0; if windows grow, where the first of them begin
 * @param grows
 *   whether windows grow; then `size` is that of the largest
 */
final case class FrameGrid(size: Long, slide: Long, offset: Long, grows: Boolean = false) {
  import FrameGrid.EndOfTime

  require(
    slide > 0 && size > 0 && size % slide == 0,
    s"the size of windows must be a positive multiple of their slide; found size $size, slide $slide"
  )

  /** Whether windows do not overlap: each is one frame. */
  def isPlain: Boolean = size == slide

  /** The number of frames in a window. */
  def framesInWindow: Long = size / slide

  /** The frame of a time. */
  def frameOf(time: Long): Long = FrameGrid.frameOf(time, slide, offset)

  /**
   * A number below -1 for the end of a window. Other ends, and the same end of other windows, most
   * likely have other numbers.
   */
  def numberOf(end: Long): Int =
    FrameGrid.numberOf(FrameGrid.mixed(slide) + Math.floorMod(offset, slide), end)

  /** The last frame of all. */
  val lastFrame: Long = frameOf(EndOfTime - 1)

  /** The end of the last window that has ended at `time`: windows end where frames begin. */
  def lastEnd(time: Long): Long = if (time == EndOfTime) time else frameOf(time)

  /** The start of the window that ends at `end`; at the end of time, of the last window of all. */
  def startOf(end: Long): Long =
    if (end == EndOfTime) lastFrame else Saturating.subtract(end, size)

  /** The start of the first window over a frame. */
  def firstStartOver(frame: Long): Long = Saturating.subtract(frame, size - slide)

  /** Of windows that grow: where those over a frame begin. */
  def beginOf(frame: Long): Long = FrameGrid.frameOf(frame, size, offset)

  /** The end of the first window over a frame. */
  def firstEndOver(frame: Long): Long = Saturating.add(frame, slide)

  /** The end of the last window over a frame. */
  def lastEndOver(frame: Long): Long =
    Saturating.add(if (grows) beginOf(frame) else frame, size)

  /** The end of the last window that begins before `time`. */
  def lastEndBegunBefore(time: Long): Long =
    if (grows) Saturating.add(beginOf(Saturating.subtract(time, 1)), size)
    else lastEnd(Saturating.add(time, size - 1))

  /** Whether a window may have all frames from `first` to `last`, and none between is left out. */
  def mayHold(first: Long, last: Long): Boolean =
    if (grows) beginOf(first) == beginOf(last) else last - first + slide <= size

  /** The last frame of the window that begins at `start`. */
  def lastFrameOf(start: Long): Long = math.min(Saturating.add(start, size - slide), lastFrame)

  /**
   * The first frame with a window that has not ended at `time`: times before this frame are late.
   */
  def firstOpenFrame(time: Long): Long =
    if (time == EndOfTime) time
    else if (grows) beginOf(time)
    else Saturating.add(frameOf(Saturating.subtract(time, size)), slide)
}

object FrameGrid {

  /** At this time all windows have ended, also those whose end is beyond the range of `Long`. */
  val EndOfTime: Long = Long.MaxValue

  /** A number below -1 for a pair of numbers. Other pairs most likely have other numbers. */
  def numberOf(first: Long, second: Long): Int =
    Int.MinValue + Math.floorMod(mixed(mixed(first) + second), Int.MaxValue.toLong).toInt

  /** The bits of a number, mixed: the last step of SplitMix64 (Steele, Lea and Flood, 2014). */
  private def mixed(bits: Long): Long = {
    val once = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L
    val twice = (once ^ (once >>> 27)) * 0x94d049bb133111ebL
    twice ^ (twice >>> 31)
  }

  /**
   * The last multiple of `slide`, counted from `offset`, that is not after `time`; the lowest of
   * all times if there is none.
   */
  def frameOf(time: Long, slide: Long, offset: Long): Long = {
    // Not `time - offset`, which may overflow.
    val since = Math.floorMod(Math.floorMod(time, slide) - Math.floorMod(offset, slide), slide)
    Saturating.subtract(time, since)
  }
}
