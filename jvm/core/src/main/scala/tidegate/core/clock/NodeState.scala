package tidegate.core.clock

/**
 * What the clock knows about the substreams of one node, between two batches.
 *
 * @param substreams
 *   the name of each, in no particular order, and the snapshot of its policy
 */
final case class NodeState(substreams: Seq[(String, Vector[Long])])

object NodeState {
  val empty: NodeState = NodeState(Nil)
}
