package tidegate.clock

import tidegate.core.clock.{NodeMark, SubstreamView}

/**
 * What a user may see of a node.
 *
 * @param heldBackBy
 *   the substream that the watermark waits for; `None` if all are idle
 * @param futureEvents
 *   since the query was started
 */
final case class NodeView(
    mark: NodeMark,
    substreams: Map[String, SubstreamView],
    heldBackBy: Option[String],
    futureEvents: Long
)
