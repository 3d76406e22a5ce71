package tidegate.core.window

import tidegate.core.EndOfTime

/**
 * Where the windows of an operator begin.
 *
 * @param slideMs
 *   from one window to the next, in ms; if they grow, from the end of one to the end of the next
 * @param offsetMs
 *   from the epoch to the first window, in ms
 * @param sizeMs
 *   from the start of a window to its end, in ms; if they grow, to the end of the largest
 * @param grows
 *   whether the windows that are in `sizeMs` begin together, and each is longer by `slideMs` than
 *   the one before
 */
final case class WindowGrid(
    slideMs: Long,
    offsetMs: Long,
    sizeMs: Long,
    grows: Boolean = false
) {

  /**
   * The end of the last window that is closed at the watermark `ms`; at the end of time all are.
   */
  def lastEnd(ms: Long): Long =
    if (ms >= EndOfTime.Ms) ms
    else lastEndIn(1, ms)

  /** The last end of a window that is not after `time`, both in a unit of so many to a ms. */
  private[window] def lastEndIn(unit: Long, time: Long): Long =
    FrameGrid.frameOf(
      time,
      slideMs * unit,
      (Math.floorMod(offsetMs, slideMs) + sizeMs % slideMs) * unit
    )

  /** The end of the next window that is open at the watermark `ms`; none at the end of time. */
  def nextEnd(ms: Long): Option[Long] =
    Option.when(ms < EndOfTime.Ms - slideMs)(lastEnd(ms) + slideMs)

  /** Whether windows overlap. */
  def isSliding: Boolean = sizeMs > slideMs

  /** Whether windows do not overlap. */
  def isPlain: Boolean = sizeMs == slideMs

  /** The windows as long as a slide, one of which ends wherever a window of these ends. */
  def ofEnds: WindowGrid =
    WindowGrid(
      slideMs,
      Math.floorMod(Math.floorMod(offsetMs, slideMs) + sizeMs % slideMs, slideMs),
      slideMs
    )

  override def toString: String = {
    val offset = if (offsetMs == 0) "" else s", from $offsetMs ms on"
    if (grows) s"windows that grow by $slideMs ms up to $sizeMs ms$offset"
    else s"windows of $sizeMs ms by $slideMs ms$offset"
  }

  /**
   * The frames from which the windows are put together, in µs; the size must be a multiple of the
   * slide.
   */
  def inMicros: FrameGrid = FrameGrid(sizeMs * 1000, slideMs * 1000, offsetMs * 1000, grows)
}
