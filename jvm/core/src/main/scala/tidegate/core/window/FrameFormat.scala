package tidegate.core.window

/** In which form the frames of sliding windows are in the state of a query. */
object FrameFormat {

  /**
   * The format that is written, and the highest that is read. The offset of the clock says it
   * beside the windows; an offset without it is of format 1.
   */
  val Current = 1
}
