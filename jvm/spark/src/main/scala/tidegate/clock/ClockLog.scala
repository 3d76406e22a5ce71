package tidegate.clock

import java.time.Instant

import org.apache.spark.internal.Logging
import tidegate.core.clock.ClockEvent
import tidegate.core.clock.ClockEvent._
import tidegate.core.sight.Words

/**
 * Tells in the log what happens to the watermarks of a query: as INFO what is usual, as WARN what
 * costs rows or time. A substream that falls idle and comes back in each second must not fill the
 * log, so there are at most `LinesPerMinute` of both together; the memory of the query has them
 * all.
 *
 * @param query
 *   the name of the query, or its id
 */
private[clock] final class ClockLog(query: => String) extends Logging {

  private val limit = new LineLimit(ClockLog.LinesPerMinute)

  def tell(event: ClockEvent, nowMs: Long): Unit =
    if (limit.admits(nowMs)(leftOut)) {
      lazy val line = s"Query $query, watermark `${event.node}`: ${ClockLog.words(event)}"
      event match {
        case _: PolicyChanged | _: ColumnsChanged | _: HeldBack | _: LateAfterIdle | _: Stalled |
            _: Withheld =>
          logWarning(line)
        case _ => logInfo(line)
      }
    }

  private def leftOut(lines: Long): Unit = logWarning(
    s"Query $query: $lines more lines about its watermarks were left out of the last minute. The tab " +
      "`Event time` of Spark's UI has the last ones."
  )
}

private[tidegate] object ClockLog {

  /** Of lines about watermarks, for each query. */
  private val LinesPerMinute = 60

  /** So many substreams are named; a stream may have many thousands. */
  private val MostNames = 10

  /** What the log says of an event. */
  def words(event: ClockEvent): String = event match {
    case Restored(_, substreams, watermarkMs) =>
      s"goes on from the checkpoint, at ${time(watermarkMs)}, with $substreams substreams."
    case PolicyChanged(_, before, now) =>
      s"the checkpoint was made with the policy $before, and the query now has $now. Each " +
        "substream goes on from its watermark; silence is counted from now on."
    case ColumnsChanged(_, before, now, watermarkMs) =>
      s"the checkpoint was made with ${columns(before)}, and the query now has ${columns(now)}. " +
        s"The old substreams are left out; the watermark stays at ${time(watermarkMs)}, and rows " +
        "below it are late."
    case Appeared(_, substreams) => s"new substreams: ${names(substreams)}."
    case FellIdle(_, substreams) =>
      s"substreams that are idle and hold nothing back from now on: ${names(substreams)}."
    case CameBack(_, substreams) =>
      s"substreams that were idle and have rows again: ${names(substreams)}."
    case Forgotten(_, substreams) =>
      s"idle substreams that are forgotten: ${names(substreams)}."
    case HeldBack(_, substream, silentMs, timeoutMs) =>
      s"the substream $substream holds time back, and has had no row for $silentMs ms, longer than " +
        s"its idle timeout of $timeoutMs ms. It counts as silent only when the query has read all " +
        "that its sources have, and knows it."
    case LateAfterIdle(_, substream, pauseMs, rows) =>
      s"$rows rows of the substream $substream are below the watermark, as the substream was idle: " +
        s"it had no row for $pauseMs ms, and time went on without it. A longer idleTimeout, or " +
        "idleBehind, lets time wait for such a substream."
    case stalled: Stalled           => stall(stalled)
    case Withheld(_, source, forMs) =>
      s"for ${Words.duration(forMs)}, the source $source has reported rows and given none of them, " +
        "as Kafka's does with minOffsetsPerTrigger. Time waits for these rows."
    case Ended(_) => "time has ended: the run was flushed, and no row is expected any more."
  }

  private def stall(e: Stalled): String = {
    val place = e.watermarkMs.fold("without a value")(ms => s"at ${time(Some(ms))}")
    val who = e.substream.fold("the first row of its stream") { name =>
      val behind =
        if (e.heldBackMs > 0) s" is ${Words.duration(e.heldBackMs)} behind the newest and" else ""
      val rest =
        if (e.isBehind) "has rows that are not read"
        else s"has had no row for ${Words.duration(e.silentMs)}"
      s"the substream $name, which$behind $rest"
    }
    s"time has stood still for ${Words.duration(e.stillMs)}, $place. It waits for $who. " +
      "tidegate.explain_time(query) says what would help."
  }

  private def names(substreams: Seq[String]): String = {
    val more = substreams.size - MostNames
    substreams.take(MostNames).mkString(", ") + (if (more > 0) s" and $more more" else "")
  }

  private def columns(names: Seq[String]): String =
    if (names.isEmpty) "no substream columns"
    else names.mkString("the substream columns ", ", ", "")

  private def time(ms: Option[Long]): String =
    ms.fold("no time yet")(Instant.ofEpochMilli(_).toString)
}
