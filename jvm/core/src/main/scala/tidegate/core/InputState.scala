package tidegate.core

/** Whether an input of a coalescer takes part in the minimum. */
sealed trait InputState

object InputState {

  /** Takes part: holds back every key for which it has shown no watermark yet. */
  case object Active extends InputState

  /** Left out until its next event or watermark. */
  case object Idle extends InputState

  /** Left out for ever. */
  case object Done extends InputState
}
