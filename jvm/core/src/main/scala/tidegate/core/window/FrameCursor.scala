package tidegate.core.window

/**
 * The frames of one key that have a value, in ascending order. Frames may be kept in runs, with one
 * value for the whole run beside those of its frames.
 */
trait FrameCursor {

  /** Goes to the first frame at or after `frame`, forwards or backwards. */
  def seek(frame: Long): Unit

  /** The frame that the cursor is at; `FrameCursor.End` after the last. */
  def frame: Long

  /** The place of its value, until the cursor moves. */
  def slot: Int

  def advance(): Unit

  /**
   * The last frame of the run that begins at the cursor; `frame` itself if none begins there. A run
   * is never read frame by frame where its value is enough.
   */
  def runEnd: Long

  /** The place of the value of the run that begins at the cursor, until the cursor moves. */
  def runSlot: Int

  /** Goes behind the run that begins at the cursor. */
  def advanceRun(): Unit
}

object FrameCursor {
  val End: Long = Long.MaxValue
}
