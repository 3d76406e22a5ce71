package tidegate.core.clock

import scala.collection.immutable.SortedMap

/**
 * The time of a query: the watermarks of its nodes and operators. It is told what a batch observed,
 * what the sources said and what the wall clock shows, and answers with the next state.
 *
 * It does no input or output, reads no clock and is not thread-safe. All times are in epoch ms.
 *
 * After a restart, a new clock goes on from the state in the checkpoint. What the last batch saw is
 * not in it, as that is known only afterwards: whoever restarts has to observe that batch again.
 *
 * @param planned
 *   what the plan of the query says
 * @param saved
 *   the state in the checkpoint, or `ClockState.empty`
 * @param wallClockMs
 *   the wall clock now
 * @param frozenAtMs
 *   for a run that ends by itself, where its time stands still: policies that follow the wall clock
 *   would never let it end. No source was asked before this moment
 * @param startsBatches
 *   whether an advance of time may start a batch without data
 */
final class QueryClock(
    planned: QuerySpec,
    saved: ClockState,
    wallClockMs: Long,
    frozenAtMs: Option[Long] = None,
    startsBatches: Boolean = true
) {

  private val spec = new SharedTimes().apply(planned)

  private var nowMs = math.max(0L, frozenAtMs.getOrElse(wallClockMs))
  private val nodes: SortedMap[String, SubstreamClock] = {
    val pausedMs = math.max(0L, nowMs - saved.savedAtMs)
    SortedMap.from(spec.nodes.map { node =>
      node.name -> new SubstreamClock(
        node,
        saved.substreams.getOrElse(node.name, NodeState.empty),
        saved.nodes.get(node.name).flatMap(_.watermarkMs),
        pausedMs,
        nowMs
      )
    })
  }
  private val exact = spec.nodes.filter(_.isExact).map(_.name).toSet
  private val unionKeys = new UnionKeys(spec)
  private var unions = unionKeys.read(saved.unions)
  private var operators = saved.operators

  /** No source was asked earlier in the last round than this. */
  private var polledFromMs: Option[Long] = None
  private var caughtUpAtMs: Option[Long] = None
  private var latest: Option[ClockState] = None
  private var latestVersion = versionWith(saved.looks)
  private var missesEnd = false

  /** The nodes whose time had ended when the checkpoint was made: all rows for them are late. */
  val endedNodes: Seq[String] = nodes.values.filter(_.isAtEnd).map(_.spec.name).toSeq

  /**
   * Whether the run, as of the last step, ends without an end of time: a source has rows that it
   * does not give yet, such as Kafka's with `minOffsetsPerTrigger`. Another run on the checkpoint
   * goes on with them, and is flushed when all is read.
   */
  def endsUnflushed: Boolean = missesEnd

  /**
   * To be called each time that the sources are asked what there is to read.
   *
   * @param begin
   *   the state at which the next batch begins
   * @param observed
   *   what batches saw since the last step: by node and substream the highest event time in µs, or
   *   `SubstreamClock.NoTime`
   * @param said
   *   what the sources said in the round before this one, if there was one: what they say in this
   *   one is not known yet
   * @param triggerStartMs
   *   when the trigger began, before it asked any source
   * @return
   *   the state at which the next batch ends, the same object as long as nothing changes; `None`
   *   before the first observation
   * @throws TooManySubstreamsException
   *   if a node has too many substreams
   */
  def step(
      begin: ClockState,
      observed: collection.Map[String, collection.Map[String, Long]],
      said: Option[SourceRound],
      wallClockMs: Long,
      triggerStartMs: Long
  ): Option[ClockState] = {
    // A wall clock that jumps back stands still until it has caught up.
    nowMs = math.max(nowMs, frozenAtMs.getOrElse(wallClockMs))
    // Not when the clock was asked: a source before it may have reported less than there was then.
    if (said.exists(_.isReadUp)) caughtUpAtMs = polledFromMs
    // What was not read yet holds back what was.
    for (round <- said; fromMs <- polledFromMs; (name, unread) <- round.unread) {
      nodes(name).expect(unread, fromMs)
    }
    val seenAtMs = said.fold(nowMs)(_.endedMs.min(nowMs))
    observed.foreach { case (name, tops) => nodes(name).observe(tops, seenAtMs, nowMs) }
    nodes.values.foreach(_.tick(nowMs, caughtUpAtMs))
    val looks = lookForEnd(begin.looks, said)
    polledFromMs = (polledFromMs ++ Some(triggerStartMs.min(nowMs))).maxOption
    if (nodes.values.forall(_.isUntouched)) None else Some(stateAfter(begin, looks))
  }

  /** The same object as long as nothing changes: Spark asks some 95 times a second. */
  private def stateAfter(begin: ClockState, looks: Long): ClockState = {
    val version = versionWith(looks)
    if (version != latestVersion) {
      val times = operatorTimes
      operators = times.advance(spec.operators, operators)
      // What a function asks for is remembered too, so that it does not fall.
      spec.asked.foreach(times.time)
      unions = times.coalesced
      latest = Some(
        ClockState(
          nodes.transform((_, node) => node.mark),
          nodes.transform((_, node) => node.snapshot),
          operators,
          unionKeys.write(unions),
          looks,
          savedAtMs = nowMs,
          exact,
          isPassive = !startsBatches && !isEnding
        )
      )
      latestVersion = version
    }
    latest.getOrElse(begin)
  }

  private def versionWith(looks: Long): Long = nodes.valuesIterator.map(_.version).sum + looks

  /** Whether this run ends by itself, and time with it. */
  private def isEnding: Boolean = frozenAtMs.isDefined && spec.nodes.exists(_.flush)

  /**
   * A run that ends by itself does so when nothing is new, and nobody is told. So as long as it is
   * not known that all was read, a look that differs from the last one asks for another batch.
   *
   * A source may keep rows to itself for a while: then the run ends, as it would without a clock,
   * and time does not.
   */
  private def lookForEnd(looks: Long, said: Option[SourceRound]): Long = {
    val open = nodes.values.filter(node => node.spec.flush && !node.isAtEnd)
    missesEnd = false
    if (!isEnding || open.isEmpty) looks
    else
      said match {
        case Some(round) if round.isReadUp =>
          open.foreach(_.end())
          looks
        case Some(round) if !round.isNew =>
          missesEnd = true
          looks
        case _ => looks + 1
      }
  }

  /** What a user may see now. */
  def view: ClockView = {
    val times = operatorTimes
    val ofOperators =
      for (op <- spec.operators; mark <- operators.get(op.name))
        yield op.name -> OperatorView(
          mark,
          times.time(op.input).heldBackBy,
          op.eviction.map(times.time(_).heldBackBy)
        )
    ClockView(nodes.transform((_, node) => node.view), ofOperators.toMap)
  }

  private def operatorTimes: OperatorTimes = new OperatorTimes(
    name => Time(nodes(name).watermarkMs, nodes(name).isIdle, name),
    unions
  )
}

object QueryClock {

  /** What a time is in a state of a query. */
  def timeIn(spec: QuerySpec, state: ClockState, time: InputTime): Time = {
    def node(name: String) = {
      val mark = state.nodes.get(name)
      Time(mark.flatMap(_.watermarkMs), mark.exists(_.idle), name)
    }
    val shared = new SharedTimes
    val unions = new UnionKeys(shared(spec)).read(state.unions)
    new OperatorTimes(node, unions).time(shared(time))
  }
}
