package tidegate.core.sight

import tidegate.core.EndOfTime
import tidegate.core.clock.OperatorView

/**
 * Says in plain sentences how far the time of a query is, what holds what back, since when, and
 * what would help.
 */
object Explanation {

  /** The sentences, in lines; advice is indented. */
  def of(situation: Situation): String = {
    val nodes = situation.nodes.toSeq.sortBy(_._1).map { case (name, _) =>
      new NodeWords(situation, name).paragraph
    }
    val operators = situation.operators.toSeq.sortBy(_._1).map { case (name, view) =>
      operator(situation, name, view)
    }
    ((Seq(head(situation)) +: nodes) ++ operators)
      .filter(_.nonEmpty)
      .map(_.mkString("\n"))
      .mkString(
        "\n\n"
      )
  }

  private def head(s: Situation): String = {
    val at = Words.time(s.nowMs)
    val last = s"The following is what was true at its last trigger, at $at."
    val state = s.state match {
      case RunState.Running        => s"The query `${s.query}` runs; it is $at."
      case RunState.Ended          => s"The query `${s.query}` has ended. $last"
      case RunState.Failed(reason) => s"The query `${s.query}` has failed: $reason. $last"
    }
    if (s.nodes.isEmpty) s"$state It has not asked its sources for rows yet." else state
  }

  private def operator(s: Situation, name: String, view: OperatorView): Seq[String] = {
    val rows = s"`$name` ${cause(s, view.heldBackBy)}"
    val state = view.evictionHeldBackBy match {
      case Some(node) if node != view.heldBackBy =>
        Seq(s"The state of `$name` ${cause(s, node)}")
      case None =>
        Seq(
          s"Rows stay in the state of `$name` for ever: nothing says from when on they are not " +
            "needed."
        )
      case _ => Nil
    }
    (rows +: state) ++ lateRows(s, name, view)
  }

  /** What an operator waits for, as the end of a sentence. */
  private def cause(s: Situation, node: String): String =
    s.nodes.get(node).fold(s"follows `$node`.")(_ => new NodeWords(s, node).causeForOthers)

  private def lateRows(s: Situation, name: String, view: OperatorView): Seq[String] =
    s.lateRows.get(name).filter(_.inAll > 0).toSeq.flatMap { late =>
      val inBatch =
        if (late.inBatch > 0) s", ${Words.number(late.inBatch)} of them in the last batch" else ""
      val dropped = s"`$name` has dropped ${Words.count(late.inAll, "row")} as late since the " +
        s"query was started$inBatch."
      Seq(dropped, lateAdvice(s, view))
    }

  private def lateAdvice(s: Situation, view: OperatorView): String =
    s.events.reverseIterator
      .find(e => e.kind == SightEvent.LateAfterIdle && e.name == view.heldBackBy)
      .fold(
        "  What helps: a larger lag, if such rows are expected. The log describes some of them, " +
          "each with the lag that would have kept it."
      ) { event =>
        s"  At ${Words.time(event.atMs)}, ${event.text.stripSuffix(".")}."
      }

  private[sight] def isEnd(ms: Long): Boolean = ms >= EndOfTime.Ms
}
