package tidegate.clock

import scala.collection.concurrent.TrieMap

/** Counts since the query was started. */
private[clock] final class ClockTotals {
  private val late = TrieMap.empty[String, Long]
  private val future = TrieMap.empty[String, Long]

  def addLateRows(operator: String, n: Long): Unit = add(late, operator, n)
  def addFutureEvents(node: String, n: Long): Unit = add(future, node, n)
  def lateRows(operator: String): Long = late.getOrElse(operator, 0L)
  def futureEvents(node: String): Long = future.getOrElse(node, 0L)

  private def add(counts: TrieMap[String, Long], name: String, n: Long): Unit =
    counts(name) = counts.getOrElse(name, 0L) + n
}
