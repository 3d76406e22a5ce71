package tidegate.core.figures

/**
 * Says in plain sentences how far the time of a query is, what holds what back, since when, and
 * what would help.
 */
object Explanation {

  /** The sentences, in lines; advice is indented. */
  def of(query: QueryFigures): String = {
    val watermarks =
      query.watermarks.keys.toSeq.map(new WatermarkSentences(query, _).paragraph)
    val operators = query.operators.toSeq.map { case (name, o) => operator(query, name, o) }
    ((Seq(head(query)) +: watermarks) ++ operators)
      .filter(_.nonEmpty)
      .map(_.mkString("\n"))
      .mkString("\n\n")
  }

  private def head(query: QueryFigures): String = {
    val name = query.ids.label
    val at = Words.time(query.atMs)
    val last = s"The following is what was true at its last trigger, at $at."
    val state = query.state match {
      case RunState.Running        => s"The query `$name` runs; it is $at."
      case RunState.Failed(reason) => s"The query `$name` has failed: $reason. $last"
      case _                       => s"The query `$name` has ended. $last"
    }
    if (query.watermarks.isEmpty) s"$state It has not asked its sources for rows yet." else state
  }

  private def operator(query: QueryFigures, name: String, o: OperatorFigures): Seq[String] = {
    val rows = s"`$name` ${cause(query, o.heldBackBy)}"
    val state = o.evictionHeldBackBy match {
      case Some(watermark) if watermark != o.heldBackBy =>
        Seq(s"The state of `$name` ${cause(query, watermark)}")
      case None =>
        Seq(
          s"Rows stay in the state of `$name` for ever: nothing says from when on they are not " +
            "needed."
        )
      case _ => Nil
    }
    (rows +: state) ++ lateRows(query, name, o)
  }

  /** What an operator waits for, as the end of a sentence. */
  private def cause(query: QueryFigures, watermark: String): String =
    if (query.watermarks.contains(watermark))
      new WatermarkSentences(query, watermark).causeForOthers
    else s"follows `$watermark`."

  private def lateRows(query: QueryFigures, name: String, o: OperatorFigures): Seq[String] =
    if (o.lateRows.inAll == 0) Nil
    else {
      val inBatch =
        if (o.lateRows.inBatch > 0)
          s", ${Words.number(o.lateRows.inBatch)} of them in the last batch"
        else ""
      val dropped = s"`$name` has dropped ${Words.count(o.lateRows.inAll, "row")} as late since " +
        s"the query was started$inBatch."
      val late = o.lateness.map { l =>
        val most = l.substreams.toSeq.sortBy { case (n, s) => (-s.rows, n) }.take(3)
        val by =
          if (2 * most.map(_._2.rows).sum < l.all.rows) Nil
          else most.map { case (n, s) => s"`$n` ${Words.number(s.rows)}" }
        s"Half of them were late by at most ${Words.duration(l.all.p50Ms)}, the latest by " +
          Words.duration(l.all.maxMs) +
          (if (by.isEmpty) "." else s". Most of them came from ${by.mkString(", ")}.")
      }
      (dropped +: late.toSeq) :+ lateAdvice(query, o.heldBackBy)
    }

  private def lateAdvice(query: QueryFigures, watermark: String): String =
    query.events.reverseIterator
      .find(e => e.kind == TimeEvent.LateAfterIdle && e.name == watermark)
      .fold(
        "  What helps: a larger lag, if such rows are expected. The log describes some of them, " +
          "each with the lag that would have kept it."
      ) { event =>
        s"  At ${Words.time(event.atMs)}, ${event.text.stripSuffix(".")}."
      }
}
