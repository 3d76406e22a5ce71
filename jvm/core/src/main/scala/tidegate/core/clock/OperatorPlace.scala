package tidegate.core.clock

/**
 * Where a stateful operator of a query with named operators keeps its state.
 *
 * @param default
 *   the name that the operator has if the user gives it none: its kind, and its number in the plan
 * @param state
 *   the number of its state, which is a folder of the checkpoint
 */
final case class OperatorPlace(default: String, state: Long)
