package tidegate.core.window

import tidegate.core.Saturating

/**
 * The windows that a late row misses: those of its time that end at or before the watermark. All
 * times are in µs.
 */
final case class MissedWindows(grid: WindowGrid) {
  private val size = grid.sizeMs * 1000
  private val slide = grid.slideMs * 1000
  private val offset = grid.offsetMs * 1000

  /** The last end of a window that is not after `time`. */
  def lastEnd(time: Long): Long = grid.lastEndIn(1000, time)

  /** How many windows a row of `time` misses. */
  def number(time: Long, watermark: Long): Long =
    math.max(0L, (lastMissed(time, watermark) - lastEnd(time)) / slide)

  /** The starts and ends of these windows, in order. */
  def all(time: Long, watermark: Long): Seq[(Long, Long)] = {
    val first = lastEnd(time)
    (1L to number(time, watermark)).map { i =>
      val end = first + i * slide
      (if (grid.grows) begin(time) else end - size) -> end
    }
  }

  private def lastMissed(time: Long, watermark: Long): Long = {
    val last =
      if (grid.grows) Saturating.add(begin(time), size) else lastEnd(Saturating.add(time, size))
    math.min(last, lastEnd(watermark))
  }

  /** Where the windows of a time begin that grow. */
  private def begin(time: Long): Long = FrameGrid.frameOf(time, size, offset)
}
