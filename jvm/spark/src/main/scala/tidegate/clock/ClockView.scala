package tidegate.clock

import scala.collection.concurrent.TrieMap

/** What a user may see of a node. `futureEvents` counts since the query was started. */
final case class NodeView(
    mark: NodeMark,
    substreams: Map[String, SubstreamView],
    futureEvents: Long
)

/** What a user may see of a clock. `lateRows` counts by operator since the query was started. */
final case class ClockView(
    nodes: Map[String, NodeView],
    operators: Map[String, OperatorMark],
    lateRows: Map[String, Long]
)

/** Counts since the query was started. */
private[clock] final class ClockTotals {
  private val late = TrieMap.empty[String, Long]
  private val future = TrieMap.empty[String, Long]

  def addLateRows(operator: String, n: Long): Unit = add(late, operator, n)
  def addFutureEvents(node: String, n: Long): Unit = add(future, node, n)
  def lateRows: Map[String, Long] = late.toMap
  def futureEvents(node: String): Long = future.getOrElse(node, 0L)

  private def add(counts: TrieMap[String, Long], name: String, n: Long): Unit =
    counts(name) = counts.getOrElse(name, 0L) + n
}
