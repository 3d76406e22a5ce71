package tidegate.plans

/**
 * Identifies a stateful operator of a query.
 *
 * @param kind
 *   what it is, such as `aggregate`
 * @param name
 *   its own name, unique in the plan: the name that the user gave, or the default
 * @param default
 *   its name if the user gives none: the kind, and its number in the plan, such as `aggregate-2`
 */
final case class OperatorName(kind: String, name: String, default: String) {

  /** Whether the user gave the name. */
  def isGiven: Boolean = name != default
}
