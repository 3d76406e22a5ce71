package tidegate.plans

import tidegate.core.clock.QuerySpec

/**
 * What was decided at the start of a query, from its whole plan and its checkpoint.
 *
 * @param time
 *   the watermarks with their final names and emissions, and the operators with their bounds
 */
final case class QueryDecisions(time: QuerySpec, frames: FrameDecisions)
