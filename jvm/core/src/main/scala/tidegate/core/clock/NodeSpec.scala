package tidegate.core.clock

import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * What the clock has to know of one keyed watermark of a plan.
 *
 * @param name
 *   unique in the plan, and the same after a restart
 * @param idleTimeoutMs
 *   after how many ms without events a substream is idle; `None` is never
 * @param flush
 *   whether time ends with a run that ends by itself
 * @param isOverState
 *   whether its input comes from a stateful operator, and so cannot be read again after a restart
 * @param hasParts
 *   whether its source tells of the substreams by itself, read or not; then nothing becomes visible
 *   before it has
 * @param limit
 *   how many substreams it may have
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
    limit: SubstreamLimit = SubstreamLimit.none
) {

  /**
   * Whether the substreams of two states have to be the same. What a policy with a wall clock
   * remembers differs after every batch, and would make batches without end.
   */
  def isExact: Boolean = isOverState && !policy.dependsOnWallClock
}
