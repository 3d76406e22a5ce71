package tidegate.core.clock

/**
 * Everything that a checkpoint holds about a query's time: its vector of keyed watermarks.
 *
 * @param nodes
 *   by the name of the watermark node
 * @param substreams
 *   what is known about the substreams of each node
 * @param operators
 *   by the name of the operator
 * @param unions
 *   the coalesced watermarks of unions, in epoch ms: they depend on which inputs were idle at which
 *   time. By the key that [[UnionKeys]] gives
 * @param looks
 *   how often a run that is to be flushed had to look whether it has read everything: each look
 *   takes a batch
 * @param savedAtMs
 *   the wall clock when the state was made, in epoch ms
 * @param places
 *   where each operator keeps its state, by the name of the operator; empty if no operator was ever
 *   given a name
 * @param exact
 *   the nodes whose input cannot be read again after a restart. Not saved
 * @param isPassive
 *   whether the state starts no batch by itself. Not saved
 */
final case class ClockState(
    nodes: Map[String, NodeMark],
    substreams: Map[String, NodeState],
    operators: Map[String, OperatorMark],
    unions: Map[String, Long],
    looks: Long,
    savedAtMs: Long,
    places: Map[String, OperatorPlace] = Map.empty,
    exact: Set[String] = Set.empty,
    isPassive: Boolean = false
) {

  /**
   * Whether two states give the same results. Only the marks of the operators, the looks, and the
   * substreams of exact nodes count. A passive state gives the same as any other.
   */
  def givesSameAs(that: ClockState): Boolean =
    (this eq that) || isPassive || that.isPassive ||
      (looks == that.looks && sameTimes(that) && exactSubstreams == that.exactSubstreams)

  /**
   * The same state for a plan in which some operators have other names.
   *
   * @param names
   *   the new name of each operator that has another
   */
  def renamed(names: Map[String, String]): ClockState = {
    // After the name of the operator comes the side of a join, or the number of a union.
    def now(key: String) = {
      val name = key.takeWhile(c => c != '.' && c != '#')
      names.getOrElse(name, name) + key.drop(name.length)
    }
    if (names.isEmpty) this
    else
      copy(
        operators = operators.map { case (key, mark) => now(key) -> mark },
        unions = unions.map { case (key, ms) => now(key) -> ms },
        places = places.map { case (key, place) => now(key) -> place }
      )
  }

  private def sameTimes(that: ClockState): Boolean =
    operators.keySet == that.operators.keySet &&
      operators.forall { case (name, mark) => mark.sameTimes(that.operators(name)) }

  private def exactSubstreams: Map[String, Set[(String, Vector[Long])]] =
    substreams.collect {
      case (name, state) if exact(name) =>
        name -> state.substreams.map(s => s.name -> s.values).toSet
    }
}

object ClockState {

  /** The state before anything was observed. */
  val empty: ClockState =
    ClockState(Map.empty, Map.empty, Map.empty, Map.empty, looks = 0L, savedAtMs = 0L)

  /**
   * The state of a query that has run without a clock, on one watermark: all nodes are there.
   *
   * @param watermarkMs
   *   in epoch ms
   * @param savedAtMs
   *   the wall clock, in epoch ms, when the query was there
   */
  def at(spec: QuerySpec, watermarkMs: Long, savedAtMs: Long): ClockState = {
    val nodes = spec.nodes.map(n => n.name -> NodeMark(n.key, Some(watermarkMs), idle = false))
    val times = new OperatorTimes(Time(Some(watermarkMs), idle = false, _), Map.empty)
    val operators = times.advance(spec.operators, Map.empty)
    spec.asked.foreach(times.time)
    ClockState(
      nodes.toMap,
      Map.empty,
      operators,
      new UnionKeys(spec).write(times.coalesced),
      looks = 0L,
      savedAtMs,
      spec.places
    )
  }
}
