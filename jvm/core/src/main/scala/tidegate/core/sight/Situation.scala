package tidegate.core.sight

import tidegate.core.clock.{NodeDetail, OperatorView}

/**
 * All that an explanation of a query's time is made of. Times are in epoch ms.
 *
 * @param query
 *   its name, or its id
 * @param nowMs
 *   the wall clock; for a query that has ended, that of its last trigger
 * @param nodes
 *   the watermarks by name
 * @param operators
 *   the stateful operators by name
 * @param lateRows
 *   by operator
 * @param futureEvents
 *   by watermark, since the query was started
 * @param unreadRows
 *   how many rows of the substream that a watermark waits for are not read, by watermark, where
 *   that is known
 * @param events
 *   what happened lately, the oldest first
 */
final case class Situation(
    query: String,
    nowMs: Long,
    state: RunState,
    nodes: Map[String, NodeDetail],
    operators: Map[String, OperatorView],
    lateRows: Map[String, Count],
    futureEvents: Map[String, Long],
    unreadRows: Map[String, Long],
    events: Seq[SightEvent]
)

/** Whether a query runs. */
sealed trait RunState

object RunState {
  case object Running extends RunState
  case object Ended extends RunState

  /** @param reason the first line of the error, without its full stop */
  final case class Failed(reason: String) extends RunState

  def failed(message: String): RunState =
    Failed(message.linesIterator.nextOption().getOrElse("").trim.stripSuffix("."))
}
