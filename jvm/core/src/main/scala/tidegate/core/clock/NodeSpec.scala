package tidegate.core.clock

import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * What the clock needs to know about one keyed watermark of a plan.
 *
 * @param name
 *   unique in the plan, and the same after a restart
 * @param idleTimeoutMs
 *   after how many ms without events a substream is idle; `None` is never
 * @param flush
 *   whether event time ends together with a run that ends by itself
 * @param isOverState
 *   whether its input comes from a stateful operator, and so cannot be read again after a restart
 * @param hasParts
 *   whether its source itself reports the substreams, read or not; then nothing becomes visible
 *   before the source has reported them
 * @param limit
 *   how many substreams the node may have
 * @param columns
 *   the substream columns, each with its type
 * @param sources
 *   the places of its sources among the sources of the query, beginning at 0
 * @param forgetAfterMs
 *   after how many ms without events an idle substream is forgotten; `None` is never
 * @param idleBehindMs
 *   after how many ms without events a substream is idle that is behind the others; `None` is after
 *   `idleTimeoutMs`, as any other
 * @param stallMs
 *   for how many ms time may be held in one place before a warning; `None` is never
 */
final case class NodeSpec(
    name: String,
    key: Byte,
    policy: PolicySpec,
    emission: EmissionSpec,
    idleTimeoutMs: Option[Long],
    flush: Boolean = false,
    isOverState: Boolean = false,
    hasParts: Boolean = false,
    limit: SubstreamLimit = SubstreamLimit.none,
    columns: Seq[String] = Nil,
    sources: Seq[Int] = Nil,
    forgetAfterMs: Option[Long] = None,
    idleBehindMs: Option[Long] = None,
    stallMs: Option[Long] = None
) {

  /** What its substreams are made with. */
  def origin: NodeOrigin = NodeOrigin(policy, columns, sources)

  /**
   * Whether two states are equal only if their substreams are. Not with a policy that follows the
   * wall clock: its memory differs after every batch, and would start batches without end.
   */
  def isExact: Boolean = isOverState && !policy.dependsOnWallClock
}
