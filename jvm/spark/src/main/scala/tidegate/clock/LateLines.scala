package tidegate.clock

import scala.collection.mutable

import tidegate.statistics.LateRows

/**
 * Chooses the lines about late rows that go to the log: at most so many a minute. Once a minute a
 * line says how many rows were dropped without a line of their own, if there were any.
 *
 * @param query
 *   the name of the query, or its id
 */
private[clock] final class LateLines(query: String, perMinute: Int, log: String => Unit) {
  import LateLines._

  private var sinceMs = Option.empty[Long]
  private var lines = 0
  private val noted = mutable.Set.empty[String]
  private val leftOut = mutable.TreeMap.empty[String, Long]

  /** Takes the late rows that an operator dropped in a batch. */
  def add(operator: String, late: LateRows, nowMs: Long): Unit = synchronized {
    val rows = late.value
    if (rows > 0) {
      late.note.filter(_ => noted.add(operator)).foreach(log)
      if (sinceMs.isEmpty) sinceMs = Some(nowMs)
      val shown = late.samples.take(perMinute - lines)
      shown.foreach(log)
      lines += shown.size
      val others = rows - shown.size
      if (others > 0) leftOut(operator) = leftOut.getOrElse(operator, 0L) + others
    }
  }

  /** To be called often: ends the minute when it is over. A clock that goes back ends it too. */
  def tick(nowMs: => Long): Unit = synchronized {
    sinceMs.foreach { since =>
      val now = nowMs
      if (now - since >= MinuteMs || now < since) end()
    }
  }

  /** Ends the minute now. */
  def end(): Unit = synchronized {
    if (leftOut.nonEmpty) {
      val counts = leftOut.map { case (operator, n) => s"$operator=$n" }.mkString(", ")
      log(s"Events dropped as late without a line of their own: $counts, query=$query")
    }
    sinceMs = None
    lines = 0
    leftOut.clear()
  }
}

private object LateLines {
  private val MinuteMs = 60000L
}
