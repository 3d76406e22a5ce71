package tidegate.plans

import tidegate.core.clock.{FormerNames, QuerySpec}
import tidegate.own.sessions.SessionDecisions
import tidegate.own.windows.FrameDecisions

/**
 * What was decided at the start of a query, from its whole plan and its checkpoint.
 *
 * @param time
 *   the watermarks with their final names and emissions, and the operators with their bounds
 * @param joins
 *   the names of those joins of streams that are made by our own operator
 * @param deduplications
 *   the names of the deduplications that are our own operator
 * @param former
 *   what the checkpoint calls the operators
 * @param isNumbered
 *   whether Spark has numbered the states of the checkpoint, in the order of the plan
 * @param isNew
 *   whether the checkpoint had no batch that had come to its end
 */
final case class QueryDecisions(
    time: QuerySpec,
    frames: FrameDecisions,
    sessions: SessionDecisions,
    joins: Set[String],
    deduplications: Set[String],
    former: FormerNames,
    isNumbered: Boolean,
    isNew: Boolean
) {

  /** The names of the operators that are our own because of a decision. */
  def own: Set[String] = QueryDecisions.own(frames, sessions, joins, deduplications)
}

object QueryDecisions {

  def own(
      frames: FrameDecisions,
      sessions: SessionDecisions,
      joins: Set[String],
      deduplications: Set[String]
  ): Set[String] =
    frames.windows.keySet ++ sessions.gapsMicros.keySet ++ joins ++ deduplications
}
