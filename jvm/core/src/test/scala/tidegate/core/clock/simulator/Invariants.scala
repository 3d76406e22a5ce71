package tidegate.core.clock.simulator

import tidegate.core.clock._
import tidegate.core.clock.simulator.SimulatedQuery.Figures
import tidegate.core.figures.WatermarkFigures

/** What must hold after each step. A method throws [[BrokenInvariant]] if it does not. */
private[simulator] final class Invariants(spec: QuerySpec) {
  private val Restore = "restore anywhere changes nothing"
  private val unionKeys = new UnionKeys(spec)

  def check(
      before: Figures,
      now: Figures,
      state: Option[ClockState],
      isOfCheckpoint: Boolean,
      oracle: QueryOracle
  ): Unit = {
    spec.nodes.foreach { node =>
      val earlierMs = before.watermarks.get(node.name).flatMap(_.watermarkMs)
      checkNode(earlierMs, now.watermarks(node.name), oracle.nodes(node.name), oracle)
    }
    oracle.operate()
    spec.nodes.foreach { node =>
      val wanted = oracle.nodes(node.name).watermarkMs
      same(node.name, now.watermarks(node.name).watermarkMs, wanted)
    }
    spec.operators.foreach(checkOperator(_, before, now, oracle))
    // A state that nothing has changed since the start still says who was idle before the start.
    if (!isOfCheckpoint) checkState(now, state, oracle)
  }

  /** What must hold after a step within a batch, which ends with a state in the offset log. */
  def checkWithin(
      before: Figures,
      now: Figures,
      end: ClockState,
      come: Option[ClockTimes],
      oracle: QueryOracle
  ): Unit = {
    check(before, now, None, isOfCheckpoint = true, oracle)
    val moved = oracle.operators.exists { case (name, mark) =>
      !end.operators.get(name).fold(mark.hasNoTimes)(mark.sameTimes)
    }
    wanted("within a batch", "whether an operator moves", come.isDefined, moved)
    come.foreach { times =>
      wanted("within a batch", "the operators", times.operators, oracle.operators)
      wanted("within a batch", "the unions", unionKeys.read(times.unions), oracle.unionsNow)
    }
  }

  private def checkState(now: Figures, state: Option[ClockState], oracle: QueryOracle): Unit = {
    spec.operators.foreach { op =>
      for (found <- now.operators.get(op.name); mark <- oracle.operators.get(op.name))
        wanted("idleness", op.name, found.idle, mark.idle)
    }
    val tells = spec.operators.nonEmpty && spec.asked.isEmpty || !oracle.isUntouched
    wanted("state", "whether there is a state", state.isDefined, tells)
    for (s <- state if oracle.isUntouched)
      wanted(
        "state",
        "whether it starts a batch",
        s.copy(looks = 0L).givesSameAs(ClockState.empty),
        true
      )
    for (s <- state if !oracle.isUntouched) {
      val marks = now.watermarks.map { case (name, w) => name -> markOf(w) }
      wanted("state", "the marks of the nodes", s.nodes, marks)
      wanted("state", "the marks of the operators", s.operators, oracle.operators)
      wanted("monotonic", "the unions", unionKeys.read(s.unions), oracle.unionsNow)
    }
  }

  private def checkNode(
      before: Option[Long],
      now: WatermarkFigures,
      oracle: NodeOracle,
      query: QueryOracle
  ): Unit = {
    val name = oracle.spec.name
    val visible = now.watermarkMs
    rises(name, before, visible)
    checkSubstreams(now, oracle)
    def ideal = oracle.ideal(now.substreams.get(_).flatMap(_.watermarkMs))
    val highestMs = ideal.highMs
    // The end of time hides what was visible right before, when substreams were forgotten.
    def beforeEnd = (before ++ Some(highestMs).filter(_ != PolicyRule.None)).maxOption
    if (oracle.isApproximate) oracle.takeOver(if (query.hasEnded(name)) beforeEnd else visible)
    forget(now, oracle, query)
    wanted("idleness", s"whether $name is idle", now.idle, oracle.isIdle)
    if (!query.hasEnded(name)) {
      if (visible != before && visible.exists(_ > math.max(highestMs, ideal.highMs)))
        broken("no overtaking", name, visible, s"at most $highestMs")
      if (visible != oracle.watermarkMs) same(name, visible, oracle.watermarkMs)
      if (oracle.isOpen && oracle.admits(ideal.lowMs))
        broken("no needless latency", name, visible, ideal.lowMs)
    }
    checkHolder(now, oracle, isOpen = oracle.isOpen && !query.hasEnded(name))
  }

  private def forget(now: WatermarkFigures, oracle: NodeOracle, query: QueryOracle): Unit = {
    val gone = oracle.names -- now.substreams.keySet
    val where = s"whether ${oracle.spec.name} may forget $gone"
    wanted("forgetting", where, true, gone.isEmpty || oracle.mayForget(gone))
    oracle.forget(gone, query.nowMs)
  }

  private def checkSubstreams(now: WatermarkFigures, oracle: NodeOracle): Unit = {
    val name = oracle.spec.name
    val gone = oracle.names -- now.substreams.keySet
    wanted("substreams", name, now.substreams.keySet, oracle.names -- gone)
    now.substreams.foreach { case (substream, view) =>
      val bounds = oracle.shown(substream)
      val ms = view.watermarkMs.getOrElse(PolicyRule.None)
      if (ms < bounds.lowMs || ms > bounds.highMs)
        broken("policy", s"$substream of $name", ms, bounds)
    }
    val idle = now.substreams.collect { case (substream, view) if view.idle => substream }.toSet
    wanted("idleness", s"the idle substreams of $name", idle, oracle.idleNames -- gone)
  }

  private def checkHolder(now: WatermarkFigures, oracle: NodeOracle, isOpen: Boolean): Unit = {
    val active = now.substreams.filterNot(_._2.idle)
    val lowest = active.values.map(_.watermarkMs).minOption
    val holders = active.collect { case (name, s) if lowest.contains(s.watermarkMs) => name }.toSet
    if (!(if (holders.isEmpty) now.heldBackBy.isEmpty else now.heldBackBy.exists(holders)))
      broken(
        "idle never holds back",
        s"who holds back ${oracle.spec.name}",
        now.heldBackBy,
        holders
      )
    val ms = lowest.flatten.getOrElse(PolicyRule.None)
    if (isOpen && oracle.admits(ms))
      broken("idle never holds back", oracle.spec.name, oracle.watermarkMs, ms)
  }

  private def checkOperator(
      op: OperatorSpec,
      before: Figures,
      now: Figures,
      oracle: QueryOracle
  ): Unit = now.operators.get(op.name).foreach { found =>
    val earlier = before.operators.get(op.name)
    rises(op.name, earlier.flatMap(_.watermarkMs), found.watermarkMs)
    rises(s"the state of ${op.name}", earlier.flatMap(_.evictionMs), found.evictionMs)
    // An operator has no mark before the first state.
    val expected = oracle.operators.get(op.name)
    same(op.name, found.watermarkMs, expected.flatMap(_.watermarkMs))
    same(s"the state of ${op.name}", found.evictionMs, expected.flatMap(_.evictionMs))
    def held(by: String, time: InputTime) = {
      val holders = oracle.heldBackBy(time)
      if (!holders(by)) broken("idle never holds back", s"who holds back ${op.name}", by, holders)
    }
    held(found.heldBackBy, op.input)
    for (by <- found.evictionHeldBackBy; time <- op.eviction) held(by, time)
  }

  /**
   * The nodes that a restore must not change. A checkpoint does not say who is idle, so after a
   * restore all substreams count until they are known to be silent. Left out are the nodes where
   * that makes a difference:
   *
   *   - A policy that follows the wall clock is asked for an idle substream too.
   *   - With `idleBehindMs`, a substream that was overtaken while it was idle waits for longer.
   *   - A part that was reported without an event has no place in the checkpoint.
   */
  private val restorable = spec.nodes.filter { node =>
    !node.hasParts && (node.idleTimeoutMs.isEmpty ||
      node.idleBehindMs.isEmpty && !node.policy.dependsOnWallClock)
  }

  /** What two queries must have in common that differ in how often they were restored. */
  def checkRestored(restored: SimulatedQuery, undisturbed: SimulatedQuery): Unit = {
    def marks(query: SimulatedQuery) =
      restorable.map(node => node.name -> markOf(query.figures.watermarks(node.name)))
    wanted(Restore, "the marks of the nodes", marks(restored), marks(undisturbed))
    def operators(state: Option[ClockState]) = state.map(_.operators)
    if (restorable.size == spec.nodes.size)
      wanted(Restore, "the operators", operators(restored.state), operators(undisturbed.state))
  }

  /** What is late in the next batch of two such queries. */
  def checkLate(restored: SimulatedQuery, undisturbed: SimulatedQuery): Unit = {
    def late(query: SimulatedQuery) = query.late.operators.collect {
      case (name, mark) if mark.watermarkMs.isDefined => name -> mark.watermarkMs
    }
    if (restorable.size == spec.nodes.size)
      wanted(Restore, "what is late", late(restored), late(undisturbed))
  }

  private def markOf(w: WatermarkFigures): NodeMark = NodeMark(w.key.toByte, w.watermarkMs, w.idle)

  private def rises(where: String, before: Option[Long], now: Option[Long]): Unit =
    if (before.exists(ms => now.forall(_ < ms))) broken("monotonic", where, now, before)

  private def same(where: String, found: Option[Long], expected: Option[Long]): Unit =
    if (found != expected) {
      val isTooHigh = found.exists(ms => expected.forall(_ < ms))
      broken(if (isTooHigh) "no overtaking" else "no needless latency", where, found, expected)
    }

  def wanted(invariant: String, where: String, found: Any, expected: Any): Unit =
    if (found != expected) broken(invariant, where, found, expected)

  private def broken(invariant: String, where: String, found: Any, expected: Any): Nothing =
    throw new BrokenInvariant(invariant, where, found, expected)
}
