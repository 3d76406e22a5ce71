package tidegate.plans

/**
 * Identifies a stateful operator of a query.
 *
 * @param kind
 *   what it is, such as `aggregate`
 * @param name
 *   its own name, unique in the plan, such as `aggregate-2`
 */
final case class OperatorName(kind: String, name: String)
