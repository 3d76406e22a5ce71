package tidegate.core.window

/** The values of all windows of a key that have at least one frame, in the order of their ends. */
trait WindowMerge {

  /**
   * Begins with the windows of a key that end after `after` and not after `until`, which may be
   * `FrameGrid.EndOfTime`; `runs` is the number of runs of its frames.
   */
  def start(frames: FrameCursor, after: Long, until: Long, runs: Int): Unit

  /** Goes to the next window with a frame; `false` if there is none. */
  def next(): Boolean

  /**
   * The frame that names the window, because the last windows end beyond the range of `Long`: the
   * first frame of a window that slides, the last frame of one that grows.
   */
  def frame: Long

  /**
   * The place of the merged values of the window's earlier frames, or of all its frames, until the
   * next window. The reader merges these values with those of the later frames, if there are any.
   */
  def earlier: Int

  /**
   * The place of the merged values of the window's later frames; `Slots.NoSlot` if there are none.
   */
  def later: Int
}

object WindowMerge {

  def apply(grid: FrameGrid, slots: Slots): WindowMerge =
    if (grid.grows) new GrowingMerge(grid, slots) else new SlidingMerge(grid, slots)
}
