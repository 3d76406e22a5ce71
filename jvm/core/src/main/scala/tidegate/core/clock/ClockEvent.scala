package tidegate.core.clock

import tidegate.core.policy.PolicySpec

/** Something that happened to a watermark node and that a log should tell. Times are in ms. */
sealed trait ClockEvent {

  /** The name of the node. */
  def node: String
}

object ClockEvent {

  /** The node goes on from a checkpoint. */
  final case class Restored(node: String, substreams: Int, watermarkMs: Option[Long])
      extends ClockEvent

  /** The checkpoint was made with another policy: each substream goes on from its watermark. */
  final case class PolicyChanged(node: String, before: PolicySpec, now: PolicySpec)
      extends ClockEvent

  /** The checkpoint was made with other substream columns: its substreams are left out. */
  final case class ColumnsChanged(
      node: String,
      before: Seq[String],
      now: Seq[String],
      watermarkMs: Option[Long]
  ) extends ClockEvent

  /** Substreams that were not known. */
  final case class Appeared(node: String, substreams: Seq[String]) extends ClockEvent

  /** Substreams that are left out from now on. */
  final case class FellIdle(node: String, substreams: Seq[String]) extends ClockEvent

  /** Substreams that were left out and count again. */
  final case class CameBack(node: String, substreams: Seq[String]) extends ClockEvent

  /** Substreams that are not known any more. */
  final case class Forgotten(node: String, substreams: Seq[String]) extends ClockEvent

  /** A substream that holds time back has been silent for longer than its timeout. */
  final case class HeldBack(node: String, substream: String, silentMs: Long, timeoutMs: Long)
      extends ClockEvent

  /** Rows that are late because their substream was left out for a while. */
  final case class LateAfterIdle(node: String, substream: String, pauseMs: Long, rows: Long)
      extends ClockEvent

  /**
   * Time has stood still for too long.
   *
   * @param substream
   *   the one that time waits for; `None` if the stream has given none
   * @param heldBackMs
   *   how far it is behind the newest
   * @param silentMs
   *   for how long it has had no row
   * @param isBehind
   *   whether the source has rows of it that were not read
   */
  final case class Stalled(
      node: String,
      watermarkMs: Option[Long],
      stillMs: Long,
      substream: Option[String],
      heldBackMs: Long,
      silentMs: Long,
      isBehind: Boolean
  ) extends ClockEvent

  /** A source reports rows, and has given none for too long. */
  final case class Withheld(node: String, source: String, forMs: Long) extends ClockEvent

  /** The time of the node has ended, with a run that ends by itself. */
  final case class Ended(node: String) extends ClockEvent
}
