package tidegate.clock

/** What a user may see of a clock. */
final case class ClockView(nodes: Map[String, NodeView], operators: Map[String, OperatorView])
