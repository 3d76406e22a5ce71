package tidegate.core.clock.simulator

import tidegate.core.clock._
import tidegate.core.clock.simulator.QueryOracle._
import tidegate.core.clock.simulator.TimeOracle.Answer

/**
 * What the clock of a query must answer, from a [[NodeOracle]] for each node and the rules of the
 * operators.
 */
private[simulator] final class QueryOracle(
    spec: QuerySpec,
    saved: Saved,
    startedAtMs: Long,
    endsByItself: Boolean
) {
  val nodes: Map[String, NodeOracle] = {
    val pausedMs = math.max(0L, startedAtMs - saved.savedAtMs)
    spec.nodes.map { node =>
      val known = saved.nodes.getOrElse(node.name, NodeOracle.Known())
      node.name -> new NodeOracle(node, known, pausedMs, startedAtMs)
    }.toMap
  }
  private val ends = endsByItself && spec.nodes.exists(_.flush)
  private var now = startedAtMs
  private var polledFromMs = Option.empty[Long]
  private var caughtUpAtMs = Option.empty[Long]
  private var unions = saved.unions
  private var marks = saved.operators
  private var answers = Map.empty[InputTime, Answer]
  private var ended = Set.empty[String]

  def nowMs: Long = now
  def operators: Map[String, OperatorMark] = marks
  def unionsNow: Map[CoalescedTime, Long] = unions
  def heldBackBy(time: InputTime): Set[String] = answers(time).heldBackBy
  def isUntouched: Boolean = nodes.values.forall(_.isUntouched)

  /** Whether the time of a node ended with its run. */
  def hasEnded(node: String): Boolean = ended(node)

  /** What a checkpoint has to hold that is made now. */
  def known: Saved =
    Saved(nodes.map { case (name, node) => name -> node.known }, unions, marks, now)

  /** One step of the nodes; `shown` has the watermarks of the clock's own substreams. */
  def step(
      seen: Map[String, Map[String, Seq[Long]]],
      said: Option[SourceRound],
      step: SimulatedStep,
      shown: String => String => Option[Long]
  ): Unit = {
    if (!endsByItself) now = math.max(now, step.wallMs)
    if (said.exists(_.isReadUp)) caughtUpAtMs = polledFromMs
    for (round <- said; fromMs <- polledFromMs; (name, unread) <- round.unread)
      nodes(name).expect(unread, fromMs)
    val seenAtMs = said.fold(now)(_.endedMs.min(now))
    seen.foreach { case (name, times) => nodes(name).observe(times, seenAtMs, now) }
    nodes.foreach { case (name, node) => node.tick(now, caughtUpAtMs, shown(name)) }
    polledFromMs = Some(math.max(polledFromMs.getOrElse(Long.MinValue), step.triggerMs.min(now)))
    if (ends && said.exists(_.isReadUp))
      ended ++= spec.nodes.filter(_.flush).map(_.name)
  }

  /** Ends the nodes whose time is over, and applies the rules of the operators. */
  def operate(): Unit = {
    ended.foreach(nodes(_).end())
    val times = new TimeOracle(nodes(_).mark, unions)
    val all = spec.operators.flatMap(op => op.input +: op.eviction.toSeq) ++ spec.asked
    answers = all.map(time => time -> times(time)).toMap
    if (!isUntouched) {
      unions = times.unionsNow
      marks = spec.operators.map(op => op.name -> risen(op)).toMap
    }
  }

  private def risen(op: OperatorSpec): OperatorMark = {
    val before = marks.get(op.name)
    val input = answers(op.input)
    OperatorMark(
      op.key,
      (before.flatMap(_.watermarkMs) ++ input.ms).maxOption,
      (before.flatMap(_.evictionMs) ++ op.eviction.flatMap(answers(_).ms)).maxOption,
      input.idle
    )
  }
}

private[simulator] object QueryOracle {

  /** What a checkpoint has to hold. */
  final case class Saved(
      nodes: Map[String, NodeOracle.Known] = Map.empty,
      unions: Map[CoalescedTime, Long] = Map.empty,
      operators: Map[String, OperatorMark] = Map.empty,
      savedAtMs: Long = 0L
  ) {

    /** The same, with the watermarks of another moment. */
    def at(that: Saved): Saved = copy(
      nodes = that.nodes.map { case (name, node) =>
        name -> nodes.getOrElse(name, NodeOracle.Known()).copy(emittedMs = node.emittedMs)
      },
      unions = that.unions,
      operators = that.operators
    )
  }
}
