package tidegate.core.clock.simulator

import tidegate.core.clock.SourceRound

/**
 * One trigger of a simulated query.
 *
 * @param wallMs
 *   what the wall clock shows, which may be less than before
 * @param triggerMs
 *   when the trigger began
 * @param rows
 *   what its batch reads: for each node, the times of each substream in µs
 * @param round
 *   what the sources say, which the clock learns at the next trigger
 * @param start
 *   set if the query is stopped before this step, and another run starts on its checkpoint
 * @param isSettled
 *   whether everything is read and the clock knows it, so that a restore loses no knowledge
 */
private[simulator] final case class SimulatedStep(
    wallMs: Long,
    triggerMs: Long,
    rows: Map[String, Map[String, Seq[Long]]],
    round: SourceRound,
    start: Option[SimulatedStep.Start],
    isSettled: Boolean
) {
  override def toString: String = {
    val started = start.fold("")(s => if (s.endsByItself) "run once, " else "restart, ")
    val read = rows.toSeq.sortBy(_._1).map { case (node, all) =>
      all.toSeq
        .sortBy(_._1)
        .map { case (name, us) => us.mkString(s"$name: ", ", ", " µs") }
        .mkString(s"$node reads ", "; ", "")
    }
    val unread = round.unread.toSeq.sortBy(_._1).map { case (node, parts) =>
      parts.fold(s"$node reports nothing")(
        _.toSeq.sorted
          .map { case (name, more) => s"$name${if (more) " has more" else ""}" }
          .mkString(s"$node reports ", ", ", "")
      )
    }
    val upTo = if (round.isReadUp) "all is read" else "more is there"
    val settled = if (isSettled) "; settled" else ""
    s"$started$wallMs ms (since $triggerMs): ${(read ++ unread :+ upTo).mkString(", ")}$settled"
  }
}

private[simulator] object SimulatedStep {

  /** How a run starts. Its wall clock stands still if it ends by itself. */
  final case class Start(endsByItself: Boolean)
}
