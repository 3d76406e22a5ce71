package tidegate.core.window

/**
 * The frames of one key that have a value, in ascending order. Frames may be kept in runs, with one
 * value for the whole run in addition to the values of its frames.
 */
trait FrameCursor {

  /** Goes to the first frame at or after `frame`, forwards or backwards. */
  def seek(frame: Long): Unit

  /** The frame that the cursor is at; `FrameCursor.End` after the last. */
  def frame: Long

  /** The place of the frame's value, until the cursor moves. */
  def slot: Int

  def advance(): Unit

  /**
   * The last frame of the run that begins at the cursor; `frame` itself if none begins there. If
   * the value of a run is enough, the run is not read frame by frame.
   */
  def runEnd: Long

  /** The place of the value of the run that begins at the cursor, until the cursor moves. */
  def runSlot: Int

  /** Goes to the frame after the run that begins at the cursor. */
  def advanceRun(): Unit
}

object FrameCursor {
  val End: Long = Long.MaxValue
}
