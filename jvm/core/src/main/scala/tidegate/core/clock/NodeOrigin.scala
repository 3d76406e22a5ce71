package tidegate.core.clock

import tidegate.core.policy.PolicySpec

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
