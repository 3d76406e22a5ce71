package tidegate.core.clock

/**
 * Since when the time of a node stands where it is, and who holds it. Looked at in every step, so
 * that each look costs the same however many substreams there are. Times are in epoch ms.
 *
 * @param startedAtMs
 *   the wall clock at the start of the run: nothing is known of before
 * @param stallMs
 *   for how long time may stand still before a warning
 */
private[clock] final class HeldTime(startedAtMs: Long, stallMs: Option[Long]) {

  private var holder = Option.empty[Substream]
  private var atMs = Long.MinValue
  private var freeAtMs = startedAtMs
  private var lastLookMs = startedAtMs
  private val patience = new Patience(stallMs)

  private var stillMs = 0L
  private var moved = startedAtMs
  private var heldSince = startedAtMs

  /** When time last moved. */
  def movedAtMs: Long = moved

  /** When this was last looked at. */
  def lookedAtMs: Long = lastLookMs

  /** Whether time was held in one place for too long, as of the look before the last one. */
  def isStalled: Boolean = stallMs.exists(stillMs >= _)

  /** Since when the holder is the same. */
  def heldSinceMs: Long = heldSince

  /**
   * Takes in where time is.
   *
   * @param timeMs
   *   the time of the node, with what its emission policy keeps back
   * @param by
   *   the substream that it waits for
   * @param isFree
   *   whether nobody holds it, because all are idle or time has ended
   */
  def note(timeMs: Long, by: Option[Substream], isFree: Boolean, nowMs: Long): Unit = {
    if (timeMs > atMs) {
      atMs = timeMs
      moved = nowMs
      patience.begin()
    }
    if (isFree) {
      freeAtMs = nowMs
      patience.begin()
    }
    if (holder.orNull ne by.orNull) {
      holder = by
      heldSince = nowMs
    }
  }

  /**
   * For how many ms time has been held in one place, if that is too long and was not returned yet.
   * It is returned again each time that it has become twice as long.
   *
   * Counted up to the look before this one: after a batch that took an hour it is not known yet
   * what is idle.
   */
  def takeStall(nowMs: Long): Option[Long] = {
    val untilMs = lastLookMs
    lastLookMs = nowMs
    stillMs = untilMs - math.max(moved, freeAtMs)
    Some(stillMs).filter(patience.endsAfter)
  }
}

/**
 * Says when something has lasted for too long: after a limit, and again each time that it has
 * lasted twice as long as the last time.
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
