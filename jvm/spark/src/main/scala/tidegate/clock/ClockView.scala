package tidegate.clock

import scala.collection.concurrent.TrieMap

/**
 * What a user may see of a node.
 *
 * @param heldBackBy
 *   the substream that is the minimum; `None` if all are idle
 * @param futureEvents
 *   since the query was started
 */
final case class NodeView(
    mark: NodeMark,
    substreams: Map[String, SubstreamView],
    heldBackBy: Option[String],
    futureEvents: Long
)

/**
 * What a user may see of a stateful operator, or of one side of a join.
 *
 * @param eventTime
 *   the column that it runs on
 * @param heldBackBy
 *   the watermark node that its watermark waits for
 * @param evictionHeldBackBy
 *   the watermark node that its state waits for; `None` if rows stay in it for ever
 * @param lateRows
 *   since the query was started
 */
final case class OperatorView(
    mark: OperatorMark,
    eventTime: String,
    heldBackBy: String,
    evictionHeldBackBy: Option[String],
    lateRows: Long
)

/** What a user may see of a clock. */
final case class ClockView(nodes: Map[String, NodeView], operators: Map[String, OperatorView])

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
