package tidegate.core.clock

/**
 * What the states in a checkpoint call the operators of a query. The states may be of several runs,
 * in which operators had other names; the number of its state identifies an operator in all of
 * them.
 *
 * @param stored
 *   the places of the operators in the latest state; empty if that is of a query without names
 * @param names
 *   the name of an operator in the query, by its name in the latest state, if they differ
 */
final case class FormerNames(
    stored: Map[String, OperatorPlace],
    names: Map[String, String]
) {

  /** A state of the checkpoint, or of the query itself, with the names of the query. */
  def apply(state: ClockState): ClockState = {
    val byState = stored.map { case (name, place) => place.state -> name }
    val inLatest: Map[String, String] =
      if (stored.isEmpty) names.transform((name, _) => name)
      else if (state.places.isEmpty) stored.map { case (name, place) => place.default -> name }
      else state.places.flatMap { case (name, place) => byState.get(place.state).map(name -> _) }
    val changed = inLatest.transform((_, latest) => names.getOrElse(latest, latest))
    state.renamed(changed.filter { case (before, now) => before != now })
  }
}

object FormerNames {

  /** All operators have the names that they had. */
  val none: FormerNames = FormerNames(Map.empty, Map.empty)
}
