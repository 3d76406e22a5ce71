package tidegate.core.clock

/**
 * The watermarks in a state of a query, without what they are computed from.
 *
 * @param nodes
 *   by the name of the watermark node
 * @param operators
 *   by the name of the operator
 * @param unions
 *   as in [[ClockState]]
 */
final case class ClockTimes(
    nodes: Map[String, NodeMark],
    operators: Map[String, OperatorMark],
    unions: Map[String, Long]
)
