package tidegate.core.clock

/**
 * Says when something has lasted for too long: after a limit, and again each time that it has
 * lasted twice as long as when this was last said.
 *
 * @param limitMs
 *   `None` for never
 */
private[clock] final class Patience(limitMs: Option[Long]) {

  private var dueMs = limitMs

  /** From here on it is another time that something lasts. */
  def begin(): Unit = dueMs = limitMs

  /** Whether `lastedMs` is too long. */
  def endsAfter(lastedMs: Long): Boolean = dueMs.exists { due =>
    val isOver = lastedMs >= due
    if (isOver) dueMs = Some(2 * lastedMs)
    isOver
  }
}
