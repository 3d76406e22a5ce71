package tidegate.core.clock

import tidegate.core.figures.{TimeEvent, Words}
import tidegate.core.policy.PolicySpec

/** Something that happened to a watermark node and that belongs in the log. Times are in ms. */
sealed trait ClockEvent {

  /** The name of the node. */
  def node: String

  /** What is remembered of the event, which happened at a wall clock in epoch ms. */
  def at(ms: Long): TimeEvent = ClockEvent.timeEvent(this, ms, ClockEvent.Named)

  /** The same without the names of substreams, which are values of rows. */
  def countedAt(ms: Long): TimeEvent =
    ClockEvent.timeEvent(this, ms, ClockEvent.Counted).copy(substreams = Nil)

  /** What the log says. */
  def text: String = at(0).text
}

object ClockEvent {

  /** The node continues from a checkpoint. */
  final case class Restored(node: String, substreams: Int, watermarkMs: Option[Long])
      extends ClockEvent

  /** The checkpoint was made with another policy: each substream continues from its watermark. */
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

  /** How a text speaks of substreams. */
  private sealed trait Wording {
    def one(substream: String): String
    def all(substreams: Seq[String]): String
  }

  private object Named extends Wording {
    override def one(substream: String): String = s"the substream $substream"
    override def all(substreams: Seq[String]): String = names(substreams)
  }

  private object Counted extends Wording {
    override def one(substream: String): String = "a substream"
    override def all(substreams: Seq[String]): String = substreams.size.toString
  }

  private def timeEvent(event: ClockEvent, atMs: Long, say: Wording): TimeEvent = {
    def of(kind: String, count: Long, text: String, substreams: Seq[String] = Nil) =
      TimeEvent(atMs, kind, event.node, substreams.take(TimeEvent.MostNames), count, text)
    def ofAll(kind: String, substreams: Seq[String], text: String) =
      of(kind, substreams.size.toLong, text, substreams)
    event match {
      case Restored(_, substreams, watermarkMs) =>
        val text = s"continues from the checkpoint, at ${time(watermarkMs)}, with $substreams " +
          "substreams."
        of(TimeEvent.Restarted, substreams.toLong, text)
      case PolicyChanged(_, before, now) =>
        val text =
          s"the checkpoint was made with the policy $before, and the query now has $now. " +
            "Each substream continues from its watermark; silence is counted from now on."
        of(TimeEvent.Changed, 0, text)
      case ColumnsChanged(_, before, now, watermarkMs) =>
        val text = s"the checkpoint was made with ${columns(before)}, and the query now has " +
          s"${columns(now)}. The old substreams are left out; the watermark stays at " +
          s"${time(watermarkMs)}, and rows below it are late."
        of(TimeEvent.Changed, 0, text)
      case Appeared(_, which) => ofAll(TimeEvent.New, which, s"new substreams: ${say.all(which)}.")
      case FellIdle(_, which) =>
        val text = s"substreams that are idle and hold nothing back from now on: ${say.all(which)}."
        ofAll(TimeEvent.Idle, which, text)
      case CameBack(_, which) =>
        val text = s"substreams that were idle and have rows again: ${say.all(which)}."
        ofAll(TimeEvent.Back, which, text)
      case Forgotten(_, which) =>
        ofAll(TimeEvent.Forgotten, which, s"idle substreams that are forgotten: ${say.all(which)}.")
      case HeldBack(_, substream, silentMs, timeoutMs) =>
        val text = s"${say.one(substream)} holds time back, and has had no row for $silentMs " +
          s"ms, longer than its idle timeout of $timeoutMs ms. It counts as silent only when the " +
          "query has read all that its sources have, and knows it."
        of(TimeEvent.Behind, 1, text, Seq(substream))
      case LateAfterIdle(_, substream, pauseMs, rows) =>
        val text = s"$rows rows of ${say.one(substream)} are below the watermark, as the " +
          s"substream was idle: it had no row for $pauseMs ms, and time went on without it. A " +
          "longer idleTimeout, or idleBehind, lets time wait for such a substream."
        of(TimeEvent.LateAfterIdle, rows, text, Seq(substream))
      case e: Stalled                 => ofAll(TimeEvent.Stalled, e.substream.toSeq, stall(e, say))
      case Withheld(_, source, forMs) =>
        val text =
          s"for ${Words.duration(forMs)}, the source $source has reported rows and given " +
            "none of them, as Kafka's does with minOffsetsPerTrigger. Time waits for these rows."
        of(TimeEvent.Withheld, 0, text)
      case Ended(_) =>
        val text = "time has ended: the run was flushed, and no row is expected any more."
        of(TimeEvent.Flushed, 0, text)
    }
  }

  private def stall(e: Stalled, say: Wording): String = {
    val place = e.watermarkMs.fold("without a value")(ms => s"at ${Words.time(ms)}")
    val who = e.substream.fold("the first row of its stream") { name =>
      val behind =
        if (e.heldBackMs > 0) s" is ${Words.duration(e.heldBackMs)} behind the newest and" else ""
      val rest =
        if (e.isBehind) "has rows that are not read"
        else s"has had no row for ${Words.duration(e.silentMs)}"
      s"${say.one(name)}, which$behind $rest"
    }
    s"time has stood still for ${Words.duration(e.stillMs)}, $place. It waits for $who. " +
      "tidegate.explainTime(query) says what would help."
  }

  private def names(substreams: Seq[String]): String = {
    val more = substreams.size - TimeEvent.MostNames
    val some = substreams.take(TimeEvent.MostNames).mkString(", ")
    if (more > 0) s"$some and $more more" else some
  }

  private def columns(names: Seq[String]): String =
    if (names.isEmpty) "no substream columns"
    else names.mkString("the substream columns ", ", ", "")

  private def time(ms: Option[Long]): String = ms.fold("no time yet")(Words.time)
}
