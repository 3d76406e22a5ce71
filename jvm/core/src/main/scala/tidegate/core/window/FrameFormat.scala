package tidegate.core.window

/**
 * In which form the frames of windows are in the state of a query. The offset of the clock says it
 * beside the windows or sessions; an offset without it is of the format of windows that slide.
 */
object FrameFormat {

  /** Of windows that slide. */
  val Sliding = 1

  /** Of windows that grow: versions that only know frames that slide refuse them. */
  val Growing = 2

  /** Of windows that do not overlap: their state may have a row for each key and window. */
  val Plain = 3

  /** Of sessions. */
  val Sessions = 4

  /** The highest format that is read. */
  val Highest: Int = Sessions

  def of(grid: WindowGrid): Int =
    if (grid.grows) Growing else if (grid.isPlain) Plain else Sliding
}
