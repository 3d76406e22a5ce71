package tidegate.core.clock.simulator

import tidegate.core.clock._
import tidegate.core.figures.{OperatorFigures, WatermarkFigures}

/** A query whose clock is real: triggers and batches in the order of Spark's micro-batch engine. */
private[simulator] final class SimulatedQuery(spec: QuerySpec, stepsWithin: Boolean) {
  private type Rows = Map[String, Map[String, Seq[Long]]]

  private var written = ClockState.empty
  private var clock: QueryClock = _
  private var nextSaid = Option.empty[SourceRound]
  private var nextSeen: Rows = Map.empty
  private var lastSeen: Rows = Map.empty
  private var lastBatchAtMs = 0L
  private var within = Option.empty[ClockTimes]
  private var endsByItself = false

  /** What the last trigger told the clock. */
  var seen: Rows = Map.empty
  var said: Option[SourceRound] = None

  /** The answer of the last trigger. */
  var state: Option[ClockState] = None

  /** What the run has read from the checkpoint. */
  var startedFrom: ClockState = written

  def figures: SimulatedQuery.Figures =
    SimulatedQuery.Figures(clock.watermarkFigures(detailed = true), clock.operatorFigures)

  /** The state at which the next batch begins. */
  def begin: ClockState = written

  /** Below these watermarks rows of the next batch are late, as far as it is known now. */
  def late: ClockState = state.filterNot(_ eq written).flatMap(_.skipped).fold(written)(written.at)

  /** Starts a run on the text of the checkpoint; what the last batch saw is seen again. */
  def start(wallMs: Long, endsByItself: Boolean): Unit = {
    this.endsByItself = endsByItself
    nextSaid = if (lastSeen.isEmpty) None else Some(SourceRound.replayed(lastBatchAtMs))
    nextSeen = lastSeen -- spec.nodes.filter(_.isOverState).map(_.name)
    goOn(written, wallMs, within)
    startedFrom = written
    state = None
  }

  /** Starts a run on the checkpoint of another query. */
  def continueAs(other: SimulatedQuery, wallMs: Long, endsByItself: Boolean): Unit = {
    written = other.written
    lastSeen = other.lastSeen
    lastBatchAtMs = other.lastBatchAtMs
    within = other.within
    start(wallMs, endsByItself)
  }

  /**
   * Restores the text of the latest state, as if it was the checkpoint of this very moment, and
   * gives the new clock what the sources said in the last trigger. The state that this run has
   * begun with is of an earlier moment: the pause since then would be left out.
   */
  def restore(step: SimulatedStep): Unit = state.filterNot(_ eq startedFrom).foreach { latest =>
    goOn(latest.copy(savedAtMs = step.wallMs), step.wallMs, None)
    val _ = ask(Map.empty, None, step)
    state = ask(Map.empty, said, step)
  }

  private def goOn(from: ClockState, wallMs: Long, within: Option[ClockTimes]): Unit = {
    written =
      ClockCodec.read(ClockCodec.write(from)).fold(e => throw new AssertionError(e), identity)
    clock = new QueryClock(
      spec,
      written,
      wallMs,
      Option.when(endsByItself)(wallMs),
      skippedBefore = within
    )
  }

  def trigger(step: SimulatedStep): Unit = {
    seen = nextSeen
    said = nextSaid
    val observed = seen.map { case (name, times) => name -> observation(name, times) }
    nextSeen = Map.empty
    state = ask(observed, said, step)
    nextSaid = Some(step.round)
  }

  /** Asks the clock again, with nothing new. */
  def triggerAgain(step: SimulatedStep): Option[ClockState] = ask(Map.empty, None, step)

  private def ask(
      observed: Map[String, NodeObservation],
      said: Option[SourceRound],
      step: SimulatedStep
  ): Option[ClockState] =
    clock.step(written, observed, said, step.wallMs, step.triggerMs, stepsWithin = stepsWithin)

  /** Whether the clock wants to know what its sources said in the last trigger. */
  def looks: Boolean = state.exists(_.looks != written.looks)

  /** Whether the trigger has to start a batch; the batch then reads the rows of the step. */
  def runBatch(step: SimulatedStep): Boolean = {
    val isBatch = step.rows.nonEmpty || state.exists(!written.givesSameAs(_))
    if (isBatch) {
      written = state.getOrElse(written)
      nextSeen = step.rows
      lastSeen = step.rows
      lastBatchAtMs = step.wallMs
      within = None
    }
    isBatch
  }

  /** Lets the rows of the batch that has just begun move time within it. */
  def stepWithin(step: SimulatedStep): Option[ClockTimes] = {
    val observed = nextSeen.map { case (name, times) => name -> observation(name, times) }
    nextSeen = Map.empty
    within = clock.stepWithin(written, observed, nextSaid, step.wallMs)
    within
  }

  /** As the tasks of a batch report it. */
  private def observation(node: String, times: Map[String, Seq[Long]]): NodeObservation = {
    val lateMs = written.nodes.get(node).flatMap(_.watermarkMs)
    def late(us: Long) =
      us != SubstreamClock.NoTime && lateMs.exists(Math.floorDiv(us, 1000L) < _)
    NodeObservation(
      times.map { case (name, all) => name -> all.max },
      times.map { case (name, all) => name -> all.count(late).toLong }.filter(_._2 > 0)
    )
  }
}

private[simulator] object SimulatedQuery {

  final case class Figures(
      watermarks: Map[String, WatermarkFigures],
      operators: Map[String, OperatorFigures]
  )
}
