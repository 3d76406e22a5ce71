package tidegate.core.clock

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
