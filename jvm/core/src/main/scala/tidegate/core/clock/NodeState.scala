package tidegate.core.clock

import tidegate.core.NoWatermark
import tidegate.core.policy.PolicySpec

/** The visible watermark of a node, in epoch ms. */
final case class NodeMark(key: Byte, watermarkMs: Option[Long], idle: Boolean)

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

/**
 * What the substreams in a checkpoint were made with. Their values mean something only to the same
 * policy, and their names only to the same columns.
 *
 * @param policy
 *   with its parameters
 * @param columns
 *   the substream columns, each with its type
 * @param sources
 *   the places of the node's sources among the sources of the query, beginning at 0
 */
final case class NodeOrigin(policy: PolicySpec, columns: Seq[String], sources: Seq[Int] = Nil)

/**
 * A substream in a checkpoint.
 *
 * @param values
 *   the snapshot of its policy; the first is the watermark of every policy
 * @param activeAtMs
 *   the wall clock when it last showed that it is not silent, in epoch ms
 */
final case class SavedSubstream(
    name: String,
    values: Vector[Long],
    activeAtMs: Long
) {

  /** In epoch ms; `None` before the first. */
  def watermarkMs: Option[Long] = values.headOption.filter(_ != NoWatermark.Ms)
}
