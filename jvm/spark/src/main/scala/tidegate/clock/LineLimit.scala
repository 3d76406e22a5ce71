package tidegate.clock

/**
 * Lets so many lines a minute into the log.
 *
 * @param perMinute
 *   how many lines
 */
private[clock] final class LineLimit(perMinute: Int) {
  import LineLimit._

  private var sinceMs = Long.MinValue
  private var lines = 0
  private var leftOut = 0L

  /**
   * Whether a line may be written now. A minute begins with its first line; a clock that goes back
   * begins one too.
   *
   * @param tell
   *   told how many lines were left out of the minute that has ended, if there were any
   */
  def admits(nowMs: Long)(tell: Long => Unit): Boolean = {
    if (sinceMs == Long.MinValue || nowMs - sinceMs >= MinuteMs || nowMs < sinceMs) {
      if (leftOut > 0) tell(leftOut)
      sinceMs = nowMs
      lines = 0
      leftOut = 0
    }
    val isAdmitted = lines < perMinute
    if (isAdmitted) lines += 1 else leftOut += 1
    isAdmitted
  }
}

private object LineLimit {
  private val MinuteMs = 60000L
}
