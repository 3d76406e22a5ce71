package tidegate.clock

import scala.collection.mutable

import org.apache.spark.sql.tidegate.{LogLine, LogsLines}
import tidegate.core.figures.{TimeEvent, Words}
import tidegate.statistics.{LateRows, PartlyLate}

/**
 * Writes to the log what happens to the watermarks of a query: as INFO what is usual, as WARN what
 * costs rows or time. A substream that falls idle and comes back in each second must not fill the
 * log, so there are at most `LinesPerMinute` of both together; the memory of the query has them
 * all.
 *
 * @param query
 *   the name of the query, or its id
 */
private[clock] final class ClockLog(query: => String) extends LogsLines {

  private val limit = new LineLimit(ClockLog.LinesPerMinute)

  def write(event: TimeEvent): Unit =
    if (limit.admits(event.atMs)(leftOut)) {
      val line = LogLine(
        s"Query $query, watermark `${event.name}`: ${event.text}",
        Map(LogLine.Query -> query, LogLine.Watermark -> event.name) ++
          Option.when(event.substreams.nonEmpty)(
            LogLine.Substream -> LogLine.names(event.substreams)
          )
      )
      if (TimeEvent.Warnings(event.kind)) warn(line) else inform(line)
    }

  private def leftOut(lines: Long): Unit = warn(
    LogLine(
      s"Query $query: $lines more lines about its watermarks were left out of the last minute. The " +
        "tab `Event time` of Spark's UI has the last ones.",
      Map(LogLine.Query -> query)
    )
  )
}

private object ClockLog {

  /** Of lines about watermarks, for each query. */
  private val LinesPerMinute = 60
}

/**
 * Lets so many lines a minute into the log.
 *
 * @param perMinute
 *   how many lines
 */
private[clock] final class LineLimit(perMinute: Int) {
  import LineLimit.MinuteMs

  private var sinceMs = Long.MinValue
  private var lines = 0
  private var leftOut = 0L

  /**
   * Whether a line may be written now. A minute begins with its first line; a clock that goes back
   * begins one too.
   *
   * @param report
   *   takes how many lines were left out of the minute that has ended, if there were any
   */
  def admits(nowMs: Long)(report: Long => Unit): Boolean = {
    if (sinceMs == Long.MinValue || nowMs - sinceMs >= MinuteMs || nowMs < sinceMs) {
      if (leftOut > 0) report(leftOut)
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
  val MinuteMs = 60000L
}

/**
 * Chooses the lines about late rows that go to the log: at most so many a minute. Once a minute a
 * line says how many rows were dropped without a line of their own, and one for each operator how
 * many rows came too late for a part of their windows, if there were any.
 *
 * @param query
 *   the name of the query, or its id
 */
private[clock] final class LateLines(query: String, perMinute: Int, log: LogLine => Unit) {
  import LineLimit.MinuteMs

  private var sinceMs = Option.empty[Long]
  private var lines = 0
  private val noted = mutable.Set.empty[String]
  private val leftOut = mutable.TreeMap.empty[String, Long]
  private val partly = mutable.TreeMap.empty[String, PartlyLate]

  /** Takes the late rows that an operator dropped in a batch. */
  def add(operator: String, late: LateRows, nowMs: Long): Unit = synchronized {
    val rows = late.value
    if (rows > 0) {
      late.note.filter(_ => noted.add(operator)).foreach(note => log(LogLine(note, of(operator))))
      if (sinceMs.isEmpty) sinceMs = Some(nowMs)
      val shown = late.samples.take(perMinute - lines)
      shown.foreach(log)
      lines += shown.size
      val others = rows - shown.size
      if (others > 0) leftOut(operator) = leftOut.getOrElse(operator, 0L) + others
    }
    if (late.partly.rows > 0) {
      if (sinceMs.isEmpty) sinceMs = Some(nowMs)
      partly(operator) = partly.getOrElse(operator, PartlyLate.None) + late.partly
    }
  }

  /** To be called often: ends the minute when it is over. A clock that goes back ends it too. */
  def tick(nowMs: => Long): Unit = synchronized {
    sinceMs.foreach { since =>
      val now = nowMs
      if (now - since >= MinuteMs || now < since) end()
    }
  }

  private def of(operator: String): Map[String, String] =
    Map(LogLine.Query -> query, LogLine.Operator -> operator)

  /** Ends the minute now. */
  def end(): Unit = synchronized {
    if (leftOut.nonEmpty) {
      val counts = leftOut.map { case (operator, n) => s"$operator=$n" }.mkString(", ")
      val text = s"Events dropped as late without a line of their own: $counts, query=$query"
      log(LogLine(text, Map(LogLine.Query -> query)))
    }
    partly.foreach { case (operator, PartlyLate(rows, windows)) =>
      val text = s"Late for a part of their windows: ${Words.count(rows, "row")}, which " +
        s"${if (rows == 1) "misses" else "miss"} ${Words.count(windows, "window")}, " +
        s"operator=$operator, query=$query"
      log(LogLine(text, of(operator)))
    }
    sinceMs = None
    lines = 0
    leftOut.clear()
    partly.clear()
  }
}
