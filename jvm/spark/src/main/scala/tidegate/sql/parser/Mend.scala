package tidegate.sql.parser

/** Turns a spelling that Spark's grammar refuses into one that it accepts. */
private[parser] trait Mend {
  def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit]
}

private[parser] object Mend {
  private val all =
    Seq(LaterStreams, WrappedCalls, TableArguments, TableKeys, KeywordNames, BareIntervals)

  /** All edits that the calls of a statement need, by the positions of their tokens. */
  def edits(tokens: SqlTokens): Map[Int, Seq[Edit]] =
    (for {
      call <- tokens.calls
      mend <- all
      edit <- mend.edits(tokens, call)
    } yield edit).groupBy(_.at)
}
