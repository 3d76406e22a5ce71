package tidegate.core.window

import tidegate.core.Saturating

/**
 * The values of windows that grow, one value for all that begin together: each frame is merged into
 * it once, and a run in one step. A window without frames of its own has the value of the window
 * before it.
 */
final class GrowingMerge(grid: FrameGrid, slots: Slots) extends WindowMerge {
  private val value = slots.allocate()

  private var cursor: FrameCursor = _
  private var lastDue = 0L
  private var candidate = 0L
  private var hasBegin = false
  private var begin = 0L
  private var hasValue = false
  private var window = 0L

  override def frame: Long = window

  override def earlier: Int = value

  override def later: Int = Slots.NoSlot

  override def start(frames: FrameCursor, after: Long, until: Long, runs: Int): Unit = {
    cursor = frames
    // The window after the one that ends at `after` ends with the frame that begins there.
    candidate = after
    lastDue =
      if (until == FrameGrid.EndOfTime) grid.lastFrame else Saturating.subtract(until, grid.slide)
    hasBegin = false
  }

  override def next(): Boolean = {
    var isFound = false
    // Each step reaches a window with a frame, or the frame after a stretch without frames.
    while (!isFound && candidate <= lastDue) {
      growTo(candidate)
      if (hasValue) {
        isFound = true
        window = candidate
        candidate = Saturating.add(candidate, grid.slide)
      } else candidate = cursor.frame
    }
    isFound
  }

  private def growTo(last: Long): Unit = {
    val beginOfLast = grid.beginOf(last)
    if (!hasBegin || begin != beginOfLast) {
      hasBegin = true
      begin = beginOfLast
      hasValue = false
      cursor.seek(begin)
    }
    while (cursor.frame <= last) {
      if (cursor.runEnd <= last) {
        add(cursor.runSlot)
        cursor.advanceRun()
      } else {
        add(cursor.slot)
        cursor.advance()
      }
    }
  }

  private def add(slot: Int): Unit = {
    if (hasValue) slots.merge(value, slot, value) else slots.copy(slot, value)
    hasValue = true
  }
}
