package tidegate.core.clock

/**
 * What the plan of a query says about time.
 *
 * @param asked
 *   the times that functions of the query ask for
 */
final case class QuerySpec(
    nodes: Seq[NodeSpec],
    operators: Seq[OperatorSpec],
    asked: Seq[InputTime] = Nil
)
