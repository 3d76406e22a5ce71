package tidegate.core.clock

import tidegate.core.EndOfTime

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
 *   how often a batch had to look whether everything is read: at the end of a run that is to be
 *   flushed, and when a silence may have become long enough. Each look takes a batch
 * @param savedAtMs
 *   the wall clock when the state was made, in epoch ms
 * @param places
 *   where each operator keeps its state, by the name of the operator; empty if no operator was ever
 *   given a name
 * @param skipped
 *   the watermarks to which the batch before this state has come within itself, or those of a batch
 *   without rows that was left out since because no operator had anything to do: in the batch that
 *   ends with this state, rows below them are late
 * @param exact
 *   the nodes whose input cannot be read again after a restart. Not saved: of two states, the one
 *   that comes from a checkpoint does not know them
 * @param isPassive
 *   whether the state starts no batch by itself. Not saved
 * @param nextDueMs
 *   the first eviction watermark, in epoch ms, at which an operator has something to do without new
 *   rows, by the name of the operator; none if the operator has not reported one. Not saved
 */
final case class ClockState(
    nodes: Map[String, NodeMark],
    substreams: Map[String, NodeState],
    operators: Map[String, OperatorMark],
    unions: Map[String, Long],
    looks: Long,
    savedAtMs: Long,
    places: Map[String, OperatorPlace] = Map.empty,
    skipped: Option[ClockTimes] = None,
    exact: Set[String] = Set.empty,
    isPassive: Boolean = false,
    nextDueMs: Map[String, Long] = Map.empty
) {

  /**
   * Whether two states give the same results without new rows. Only the marks of the operators, the
   * looks, and the substreams of exact nodes count; not the mark of an operator that has nothing to
   * do yet, as long as time has not ended. A passive state gives the same as any other.
   */
  def givesSameAs(that: ClockState): Boolean =
    (this eq that) || isPassive || that.isPassive || (looks == that.looks && sameTimes(that) && {
      val nodes = exact ++ that.exact
      substreamsOf(nodes) == that.substreamsOf(nodes)
    })

  /** The watermarks alone. */
  def times: ClockTimes = ClockTimes(nodes, operators, unions)

  /** The same state with other watermarks, as far as these have the same names. */
  def at(times: ClockTimes): ClockState = copy(
    nodes = nodes ++ times.nodes,
    operators = operators ++ times.operators,
    unions = unions ++ times.unions
  )

  /** Whether an operator has another watermark than in another state. */
  def movesFrom(that: ClockState): Boolean = operators.exists { case (name, mark) =>
    !that.operators.get(name).fold(mark.hasNoTimes)(mark.sameTimes)
  }

  /**
   * The same state for a plan in which some operators have other names.
   *
   * @param names
   *   the new name of each operator that has another
   */
  def renamed(names: Map[String, String]): ClockState =
    if (names.isEmpty) this
    else {
      val now = times.renamed(names)
      copy(
        operators = now.operators,
        unions = now.unions,
        places = places.map { case (key, place) => ClockTimes.renamed(key, names) -> place },
        skipped = skipped.map(_.renamed(names))
      )
    }

  private def sameTimes(that: ClockState): Boolean =
    if (operators.isEmpty || that.operators.isEmpty) hasComeToItself && that.hasComeToItself
    else
      operators.keySet == that.operators.keySet && {
        lazy val sameEnd = ended == that.ended
        operators.forall { case (name, mark) =>
          val other = that.operators(name)
          def later = if (mark.isBehind(other)) that else this
          def isFirst = mark.hasNoTimes || other.hasNoTimes
          mark.sameTimes(other) || mark.sameState(other) &&
          (later.wasThere(name) || sameEnd && !isFirst && later.isQuiet(name))
        }
      }

  /** Whether all operators were at their watermarks before: the first batch has come to them. */
  private def hasComeToItself: Boolean = operators.keys.forall(wasThere)

  /** Whether an operator was at its watermark already, or has none yet. */
  private def wasThere(operator: String): Boolean = {
    val mark = operators(operator)
    mark.hasNoTimes || skipped.flatMap(_.operators.get(operator)).exists(_.sameTimes(mark))
  }

  /** Whether an operator has nothing to do at its watermark, without new rows. */
  private def isQuiet(operator: String): Boolean =
    nextDueMs.get(operator).exists(due => operators(operator).evictionMs.forall(_ < due))

  /** The nodes whose time has ended. */
  private def ended: Set[String] =
    nodes.collect { case (name, n) if n.watermarkMs.exists(_ >= EndOfTime.Ms) => name }.toSet

  private def substreamsOf(nodes: Set[String]): Map[String, Set[(String, Vector[Long])]] =
    substreams.collect {
      case (name, state) if nodes(name) && state.substreams.nonEmpty =>
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

  /** Whether all operators have the same watermarks. */
  def sameAs(that: ClockTimes): Boolean =
    operators.forall { case (name, mark) => that.operators.get(name).exists(mark.sameTimes) }

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
