package tidegate.core.policy

/** What each policy's watermark must be, computed anew from the whole history of calls. */
object PolicyOracle {

  sealed trait Call { def nowMs: Long }
  final case class Event(timestampMs: Long, nowMs: Long) extends Call
  final case class Poll(nowMs: Long) extends Call

  type Oracle = Seq[Call] => Option[Long]

  def fixedLag(lagMs: Long): Oracle = history =>
    events(history).map(_.timestampMs - lagMs).maxOption

  /** A timestamp counts in full once `maxDelayMs` have passed since the moment it was observed. */
  def lagAndDelay(lagMs: Long, maxDelayMs: Long): Oracle = history => {
    val nows = steadied(history)
    val reached = history.zip(nows).collect {
      case (Event(timestampMs, _), nowMs) if nowMs + maxDelayMs <= nows.last => timestampMs
    }
    (reached ++ fixedLag(lagMs)(history)).maxOption
  }

  /** From the watermark that was visible at the last event, plus the silence past the lull. */
  def lagAndLull(lagMs: Long, maxLullMs: Long): Oracle = history => {
    val lastEvent = history.lastIndexWhere(_.isInstanceOf[Event])
    if (lastEvent < 0) None
    else {
      val nows = steadied(history)
      val before = lagAndLull(lagMs, maxLullMs)(history.take(lastEvent))
      val fromEvent = history(lastEvent) match {
        case Event(timestampMs, _) => timestampMs - lagMs
        case Poll(_)               => throw new AssertionError("the last event is an event")
      }
      val atEvent = before.fold(fromEvent)(math.max(_, fromEvent))
      Some(atEvent + math.max(0, nows.last - nows(lastEvent) - maxLullMs))
    }
  }

  def timestampAndWallClockLag(timestampLagMs: Long, wallClockLagMs: Long): Oracle = history =>
    (history.map(_.nowMs - wallClockLagMs) ++ fixedLag(timestampLagMs)(history)).maxOption

  private def events(history: Seq[Call]): Seq[Event] = history.collect { case event: Event =>
    event
  }

  /** The readings of a wall clock that stands still where the real one jumps back. */
  private def steadied(history: Seq[Call]): Seq[Long] =
    history.map(_.nowMs).scanLeft(Long.MinValue)(math.max).tail
}
