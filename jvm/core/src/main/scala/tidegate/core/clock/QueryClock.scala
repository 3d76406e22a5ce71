package tidegate.core.clock

import scala.collection.immutable.SortedMap

import tidegate.core.figures.{OperatorFigures, WatermarkFigures}

/**
 * The time of a query: the watermarks of its nodes and operators. The caller reports what batches
 * observed, what the sources said and what the wall clock shows; the answer is the next state.
 *
 * This class does no input or output, reads no clock and is not thread-safe. All times are in epoch
 * ms.
 *
 * After a restart, a new clock continues from the state in the checkpoint. The state lacks what the
 * last batch saw, because that was known only after the state was written: the caller must observe
 * that batch again.
 *
 * @param planned
 *   what the plan of the query says
 * @param saved
 *   the state in the checkpoint, or `ClockState.empty`
 * @param wallClockMs
 *   the wall clock now
 * @param frozenAtMs
 *   for a run that ends by itself, the moment at which its wall clock stands still: otherwise
 *   policies that follow the wall clock would never let the run end. No source was asked before
 *   this moment
 * @param startsBatches
 *   whether an advance of time may start a batch without data
 * @param skippedBefore
 *   the watermarks to which the saved batch has come within itself, or those of a batch that an
 *   earlier run has left out after the saved state
 */
final class QueryClock(
    planned: QuerySpec,
    saved: ClockState,
    wallClockMs: Long,
    frozenAtMs: Option[Long] = None,
    startsBatches: Boolean = true,
    skippedBefore: Option[ClockTimes] = None
) {

  private val spec = new SharedTimes().apply(planned)

  // Time continues from a batch that was left out as from one that has run.
  private val resumed = skippedBefore.fold(saved)(saved.at)
  private var nowMs = math.max(0L, frozenAtMs.getOrElse(wallClockMs))
  private val nodes: SortedMap[String, SubstreamClock] = {
    val pausedMs = math.max(0L, nowMs - saved.savedAtMs)
    SortedMap.from(spec.nodes.map { node =>
      node.name -> new SubstreamClock(
        node,
        saved.substreams.getOrElse(node.name, NodeState.empty),
        resumed.nodes.get(node.name).flatMap(_.watermarkMs),
        pausedMs,
        nowMs
      )
    })
  }
  private val exact = spec.nodes.filter(_.isExact).map(_.name).toSet
  private val unionKeys = new UnionKeys(spec)
  private var unions = unionKeys.read(resumed.unions)
  private var operators = resumed.operators

  /** When operators have something to do next, as far as they have reported. */
  private var nextDueMs = Map.empty[String, Long]

  /**
   * The times to which the last batch has come within itself, or those of a batch that was left out
   * since.
   */
  private var skipped = skippedBefore

  /** The state at which the next batch begins, as of the last step. */
  private var begun = saved

  /** How often one of these two has changed. */
  private var quietVersion = 0L

  /** In the last round no source was asked before this moment. */
  private var polledFromMs: Option[Long] = None
  private var caughtUpAtMs: Option[Long] = None

  // What the saved batch had left out before it is over.
  private var latest: Option[ClockState] =
    Option.when(saved.skipped != skippedBefore)(resumed.copy(skipped = skippedBefore))
  // The first state is new, and so is that of operators with other places, although nothing has
  // happened.
  private var latestVersion =
    if (saved.nodes.nonEmpty && saved.places == spec.places) versionWith(saved.looks)
    else QueryClock.NoVersion
  private var missesEnd = false
  private val withheld = new WithheldRows(spec.nodes)
  private var hasRows = false

  /** The nodes whose time had ended when the checkpoint was made: all rows for them are late. */
  val endedNodes: Seq[String] = nodes.values.filter(_.isAtEnd).map(_.spec.name).toSeq

  /**
   * Whether, as of the last step, the run ends but its event time does not: a source holds back
   * rows, such as Kafka's source with `minOffsetsPerTrigger`. Another run on the checkpoint
   * continues with these rows, and is flushed when everything is read.
   */
  def endsUnflushed: Boolean = missesEnd

  /**
   * To be called each time the sources are asked what there is to read.
   *
   * @param begin
   *   the state at which the next batch begins
   * @param observed
   *   what batches saw since the last step, by node
   * @param said
   *   what the sources said in the round before this one: their answers in this round are not known
   *   yet. In the first round of a run, `SourceRound.replayed` if the last batch of the checkpoint
   *   was observed again
   * @param triggerStartMs
   *   when the trigger began, before any source was asked
   * @param due
   *   what the operators of the last batch have reported, if there was one since the last step:
   *   when each has something to do next, or `None` if it does not know
   * @param stepsWithin
   *   whether the clock steps within a batch, too
   * @return
   *   the state at which the next batch ends, the same object as long as nothing changes; `None`
   *   before the first observation, if nothing needs a state then
   * @throws TooManySubstreamsException
   *   if a node has too many substreams
   */
  def step(
      begin: ClockState,
      observed: collection.Map[String, NodeObservation],
      said: Option[SourceRound],
      wallClockMs: Long,
      triggerStartMs: Long,
      due: Map[String, Option[NextDue]] = Map.empty,
      stepsWithin: Boolean = false
  ): Option[ClockState] = {
    take(observed, said, wallClockMs)
    noteDue(due)
    noteSkipped(begin)
    val looks = if (isLookWanted(said, stepsWithin)) begin.looks + 1 else begin.looks
    polledFromMs = (polledFromMs ++ Some(triggerStartMs.min(nowMs))).maxOption
    Option.when(tells)(stateAfter(begin, looks))
  }

  /**
   * Whether there is a state. Before the first observation it says only how the plan is, and starts
   * no batch; but a function that asks for a watermark takes each state for a new time.
   */
  private def tells: Boolean =
    spec.places.nonEmpty || spec.operators.nonEmpty && spec.asked.isEmpty ||
      !nodes.values.forall(_.isUntouched)

  /**
   * The step within a batch, when all of its rows were seen and no operator has let anything go. To
   * be called at most once in a batch. The step at the next trigger then only applies the wall
   * clock.
   *
   * @param end
   *   the state at which the batch ends, as the offset log has it
   * @param observed
   *   what the batch saw, by node
   * @param said
   *   what the sources said in the round of the batch
   * @param batchMs
   *   the wall clock of the batch
   * @return
   *   the times up to which the operators of this batch close and evict; `None` if the batch moves
   *   none of them
   * @throws TooManySubstreamsException
   *   if a node has too many substreams
   */
  def stepWithin(
      end: ClockState,
      observed: collection.Map[String, NodeObservation],
      said: Option[SourceRound],
      batchMs: Long
  ): Option[ClockTimes] = {
    take(observed, said, batchMs)
    endIfReadUp(said)
    val moved = Some(stateAfter(end, end.looks)).filter(_.movesFrom(end)).map(_.times)
    if (moved.isDefined) {
      skipped = moved
      begun = end
      quietVersion += 1
    }
    moved
  }

  /** What is known of time after a round, and at this moment. */
  private def take(
      observed: collection.Map[String, NodeObservation],
      said: Option[SourceRound],
      wallClockMs: Long
  ): Unit = {
    // If the wall clock jumps back, time stands still until the wall clock has caught up.
    nowMs = math.max(nowMs, frozenAtMs.getOrElse(wallClockMs))
    // Not the moment when the clock was asked: a source that was asked earlier may have reported
    // fewer rows than it had by that moment.
    if (said.exists(_.isReadUp)) caughtUpAtMs = polledFromMs
    // Substreams with unread rows hold back the others.
    for (round <- said; fromMs <- polledFromMs; (name, unread) <- round.unread) {
      nodes(name).expect(unread, fromMs)
    }
    val seenAtMs = said.fold(nowMs)(_.endedMs.min(nowMs))
    observed.foreach { case (name, seen) => nodes(name).observe(seen, seenAtMs, nowMs) }
    nodes.values.foreach(_.tick(nowMs, caughtUpAtMs))
    said.foreach(round => withheld.note(round.withheld, nowMs))
    hasRows ||= observed.exists(_._2.tops.nonEmpty)
  }

  private def noteDue(due: Map[String, Option[NextDue]]): Unit = if (due.nonEmpty) {
    nextDueMs = due.foldLeft(nextDueMs) {
      case (known, (name, Some(next))) if next.isOfAll         => known.updated(name, next.ms)
      case (known, (name, Some(next))) if known.contains(name) =>
        known.updated(name, known(name).min(next.ms))
      case (known, (name, _)) => known - name
    }
    quietVersion += 1
  }

  /** The last answer has started no batch if it moved an operator that has nothing to do. */
  private def noteSkipped(begin: ClockState): Unit = {
    val before = skipped.filter(_ => begin == begun)
    val left = latest
      .filter(last => !last.isPassive && last.movesFrom(begin) && last.givesSameAs(begin))
      .map(_.times)
      .filterNot(times => before.exists(times.sameAs))
    val now = left.orElse(before)
    begun = begin
    if (now != skipped) {
      skipped = now
      quietVersion += 1
    }
  }

  /** The same object as long as nothing changes: Spark asks some 95 times a second. */
  private def stateAfter(begin: ClockState, looks: Long): ClockState = {
    val version = versionWith(looks)
    if (version != latestVersion) {
      val times = operatorTimes
      operators = times.advance(spec.operators, operators)
      // The times that functions ask for are remembered too, so that they do not fall.
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
          spec.places,
          skipped,
          exact,
          isPassive = !startsBatches && !isEnding,
          nextDueMs
        )
      )
      latestVersion = version
    }
    latest.getOrElse(begin)
  }

  private def versionWith(looks: Long): Long =
    nodes.valuesIterator.map(_.version).sum + looks + quietVersion

  /** Whether this run ends by itself, and event time ends with it. */
  private def isEnding: Boolean = frozenAtMs.isDefined && spec.nodes.exists(_.flush)

  /**
   * A run that ends by itself does so when nothing is new, and without notice. So as long as it is
   * not known that all was read, and the end of time or a silence waits for it, a look that differs
   * from the last one asks for another batch.
   *
   * A source may keep rows to itself for a while: then the run ends, as it would without a clock,
   * and time does not.
   *
   * Any other run looks when a silence has become long enough since the trigger before.
   */
  private def isLookWanted(said: Option[SourceRound], stepsWithin: Boolean): Boolean = {
    endIfReadUp(said)
    val open = openAtEnd
    missesEnd = false
    said match {
      case Some(round) if round.isReadUp => stepsWithin && isSilenceNew
      case Some(round) if !round.isNew   =>
        missesEnd = open.nonEmpty
        false
      case _ =>
        open.nonEmpty ||
        frozenAtMs.isDefined && nodes.valuesIterator.exists(_.isOverdue(nowMs, hasRows))
    }
  }

  /**
   * Whether time is held back by a silence that was too short at the trigger before, a while ago.
   * What the sources say now is known within a batch, and without one only at the next trigger.
   */
  private def isSilenceNew: Boolean =
    startsBatches && frozenAtMs.isEmpty &&
      polledFromMs.exists(nowMs - _ >= QueryClock.WhileMs) &&
      nodes.valuesIterator.exists(_.isHeldBySilence(nowMs))

  /** The nodes whose time ends with this run, and has not yet. */
  private def openAtEnd: Iterable[SubstreamClock] =
    if (isEnding) nodes.values.filter(node => node.spec.flush && !node.isAtEnd) else Nil

  private def endIfReadUp(said: Option[SourceRound]): Unit =
    if (said.exists(_.isReadUp)) openAtEnd.foreach(_.end())

  /** What has happened since this was last asked, for the log. */
  def takeEvents(): Seq[ClockEvent] =
    nodes.valuesIterator.flatMap(_.takeEvents()).toVector ++ withheld.takeEvents()

  /** The figures of the watermarks; with those of each substream if they are `detailed`. */
  def watermarkFigures(detailed: Boolean): SortedMap[String, WatermarkFigures] =
    nodes.transform((_, node) => node.figures(detailed))

  /** The figures of one watermark, without its substreams; `None` if there is no such node. */
  def watermarkFigures(node: String): Option[WatermarkFigures] =
    nodes.get(node).map(_.figures(detailed = false))

  /** The wall clock of the last step, in epoch ms. */
  def atMs: Long = nowMs

  /** The figures of the operators, as of the last state. */
  def operatorFigures: SortedMap[String, OperatorFigures] = {
    val times = operatorTimes
    SortedMap.from(spec.operators.map { op =>
      val input = times.time(op.input)
      val mark =
        operators.getOrElse(op.name, OperatorMark(op.key, None, None, input.idle, op.frames))
      op.name -> OperatorFigures(
        mark.key.toInt,
        mark.watermarkMs,
        mark.idle,
        input.heldBackBy,
        mark.evictionMs,
        op.eviction.map(times.time(_).heldBackBy),
        for (windows <- mark.frames; ms <- mark.watermarkMs; end <- windows.nextEnd(ms)) yield end
      )
    })
  }

  private def operatorTimes: OperatorTimes = new OperatorTimes(
    name => Time(nodes(name).watermarkMs, nodes(name).isIdle, name),
    unions
  )
}

object QueryClock {
  private val NoVersion = -1L

  /** A trigger that comes sooner after another one is not worth a batch of its own. */
  private val WhileMs = 1000L

  /** The value of a time in a state of a query. */
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
