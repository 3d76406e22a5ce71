package tidegate.core.clock.simulator

import scala.util.Random

import tidegate.core.clock.ClockState
import tidegate.core.clock.simulator.SimulatedQuery.Figures

/**
 * The clock on the plan and the history of a seed, beside its oracle, and beside a second clock
 * that is restored from its text now and then.
 *
 * @param tell
 *   is given what happens, in lines
 */
private[simulator] final class Simulation(seed: Long, tell: Option[String => Unit] = None) {
  private val random = new Random(seed)
  private val spec = new SimulatedPlan(random).make()
  private val steps = new SimulatedHistory(random, spec).make()
  private val invariants = new Invariants(spec)

  /** Whether batches close what their own rows close: not where a watermark is over a state. */
  private val isSameBatch = random.nextBoolean() && !spec.nodes.exists(_.isOverState)
  private val query = new SimulatedQuery(spec, isSameBatch)
  private val restored = new SimulatedQuery(spec, isSameBatch)

  private var oracle: QueryOracle = _
  private var inCheckpoint = QueryOracle.Saved()
  private var latest = (Option.empty[ClockState], QueryOracle.Saved())
  private var endsByItself = false

  /** What a checkpoint has to hold since a batch has moved time within itself. */
  private var withinBatch = Option.empty[QueryOracle.Saved]

  /** What was known at the last step within a batch, until the next trigger. */
  private var knownWithin = Option.empty[QueryOracle.Saved]

  /** @return the failed step and what does not hold in it, if anything */
  def run(): Option[(Int, BrokenInvariant)] = {
    say(s"seed $seed")
    spec.nodes.foreach(node => say(s"  $node"))
    spec.operators.foreach(op => say(s"  $op"))
    spec.asked.foreach(time => say(s"  asked for: $time"))
    steps.indices.iterator
      .flatMap { i =>
        try { run(i, steps(i)); None }
        catch { case e: BrokenInvariant => Some(i -> e) }
      }
      .nextOption()
  }

  private def run(number: Int, step: SimulatedStep): Unit = {
    say(s"step $number: $step")
    step.start.foreach(start(_, step.wallMs))
    val before = query.figures
    query.trigger(step)
    val now = query.figures
    now.watermarks.foreach(node => say(s"    $node"))
    now.operators.foreach(op => say(s"    $op"))
    oracle.step(
      query.seen,
      query.said,
      step,
      node => substream => now.watermarks(node).substreams.get(substream).flatMap(_.watermarkMs)
    )
    invariants.check(before, now, query.state, isOfCheckpoint, oracle)
    checkSameState(before, now, step)
    checkRestored(step)
    val looks = query.looks
    val isBatch = query.runBatch(step)
    if (isBatch) {
      if (query.state.isDefined) inCheckpoint = latest._2
      withinBatch = None
    }
    val _ = restored.runBatch(step)
    invariants.checkLate(restored, query)
    if (isBatch && isSameBatch && (step.rows.nonEmpty || looks)) stepWithin(step)
  }

  /** As at a trigger; what the sources have said is told once more at the next one. */
  private def stepWithin(step: SimulatedStep): Unit = {
    say("    within the batch")
    val (before, began) = (query.figures, query.begin)
    val come = query.stepWithin(step)
    val now = query.figures
    now.watermarks.foreach(node => say(s"    $node"))
    oracle.step(
      step.rows,
      Some(step.round),
      step,
      node => substream => now.watermarks(node).substreams.get(substream).flatMap(_.watermarkMs)
    )
    invariants.checkWithin(before, now, began, come, oracle)
    if (come.isDefined) withinBatch = Some(oracle.known)
    val _ = restored.stepWithin(step)
    invariants.checkRestored(restored, query)
    knownWithin = Some(oracle.known)
  }

  /** The state of the checkpoint stays until something changes. */
  private def isOfCheckpoint: Boolean = query.state.exists { state =>
    val saved = query.startedFrom
    state.savedAtMs == saved.savedAtMs && state.looks == saved.looks &&
    state.substreams == saved.substreams
  }

  private def start(how: SimulatedStep.Start, wallMs: Long): Unit = {
    endsByItself = how.endsByItself
    restored.continueAs(query, wallMs, how.endsByItself)
    query.start(wallMs, how.endsByItself)
    val saved = withinBatch.fold(inCheckpoint)(inCheckpoint.at)
    oracle = new QueryOracle(spec, saved, math.max(0L, wallMs), how.endsByItself)
    latest = (None, saved)
    knownWithin = None
  }

  private def checkSameState(before: Figures, now: Figures, step: SimulatedStep): Unit = {
    def marks(figures: Figures) = figures.watermarks.map { case (name, n) =>
      name -> ((n.watermarkMs, n.idle, n.substreams.map { case (s, v) => s -> v.idle }))
    }
    val (stateBefore, savedBefore) = latest
    val isQuiet = query.seen.isEmpty && marks(before) == marks(now) &&
      query.state.map(s => (s.looks, s.skipped)) == stateBefore.map(s => (s.looks, s.skipped))
    val isSame = query.state.exists(state => stateBefore.exists(_ eq state))
    val invariant = "nothing new changes nothing"
    if (isQuiet && stateBefore.isDefined && knownWithin.isEmpty)
      invariants.wanted(invariant, "whether the state is the same object", isSame, true)
    // What nothing has changed since the step within the batch is of that moment.
    val within = knownWithin.filter(k => query.state.exists(_.savedAtMs == k.savedAtMs))
    knownWithin = None
    latest = (
      query.state,
      if (isSame || isOfCheckpoint) savedBefore else within.getOrElse(oracle.known)
    )
    // Who looks does so once.
    if (!endsByItself && !query.looks) {
      val again = query.triggerAgain(step)
      val isSameAgain = (again, query.state) match {
        case (Some(a), Some(b)) => a eq b
        case (a, b)             => a == b
      }
      invariants.wanted(invariant, "whether a second step gives the same", isSameAgain, true)
      invariants.wanted(invariant, "the view after a second step", query.figures, now)
    }
  }

  private def checkRestored(step: SimulatedStep): Unit = {
    restored.trigger(step)
    if (step.isSettled && step.wallMs == oracle.nowMs && !endsByItself) {
      say("    restored")
      restored.restore(step)
    }
    invariants.checkRestored(restored, query)
  }

  private def say(line: => String): Unit = tell.foreach(_(line))
}
