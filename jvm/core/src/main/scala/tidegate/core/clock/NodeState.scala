package tidegate.core.clock

/**
 * What the clock knows about the substreams of one node, between two batches.
 *
 * @param substreams
 *   in no order
 * @param origin
 *   what the substreams were made with; `None` if there was no clock yet
 * @param sinceMs
 *   the wall clock, in epoch ms, since when a node without substreams is silent
 */
final case class NodeState(
    substreams: Seq[SavedSubstream],
    origin: Option[NodeOrigin] = None,
    sinceMs: Option[Long] = None
)

object NodeState {
  val empty: NodeState = NodeState(Nil)
}
