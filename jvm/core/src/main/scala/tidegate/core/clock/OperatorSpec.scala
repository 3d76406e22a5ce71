package tidegate.core.clock

import tidegate.core.window.WindowGrid

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
