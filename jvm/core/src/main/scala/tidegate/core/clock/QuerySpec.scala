package tidegate.core.clock

import tidegate.core.window.WindowGrid

/**
 * What the plan of a query says about time.
 *
 * @param asked
 *   the times that functions of the query ask for
 * @param places
 *   where each operator keeps its state, by the name of the operator; empty if no operator was ever
 *   given a name
 */
final case class QuerySpec(
    nodes: Seq[NodeSpec],
    operators: Seq[OperatorSpec],
    asked: Seq[InputTime] = Nil,
    places: Map[String, OperatorPlace] = Map.empty
)

/**
 * What the clock needs to know about one stateful operator of a plan, or about one side of a join.
 *
 * @param name
 *   unique in the plan, and the same after a restart
 * @param input
 *   the watermark of its rows: it decides which are late
 * @param eviction
 *   the watermark of its state: it decides which rows leave. `None` if rows stay for ever
 * @param frames
 *   the windows whose frames are its state, if it has frames
 * @param gapMicros
 *   the gap of its sessions, in µs, if its state has sessions of our own
 */
final case class OperatorSpec(
    name: String,
    key: Byte,
    input: InputTime,
    eviction: Option[InputTime],
    frames: Option[WindowGrid] = None,
    gapMicros: Option[Long] = None
)

/**
 * Where a stateful operator of a query with named operators keeps its state.
 *
 * @param default
 *   the name that the operator has if the user gives it none: its kind, and its number in the plan
 * @param state
 *   the number of its state, which is a folder of the checkpoint
 */
final case class OperatorPlace(default: String, state: Long)
