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
) {

  /**
   * The same watermarks for a plan in which some operators have other names.
   *
   * @param names
   *   the new name of each operator that has another
   */
  def renamed(names: Map[String, String]): ClockTimes = copy(
    operators = operators.map { case (key, mark) => ClockTimes.renamed(key, names) -> mark },
    unions = unions.map { case (key, ms) => ClockTimes.renamed(key, names) -> ms }
  )
}

private[clock] object ClockTimes {

  /** A key, which begins with the name of an operator. */
  def renamed(key: String, names: Map[String, String]): String = {
    // After the name comes the side of a join, or the number of a union.
    val name = key.takeWhile(c => c != '.' && c != '#')
    names.getOrElse(name, name) + key.drop(name.length)
  }
}
