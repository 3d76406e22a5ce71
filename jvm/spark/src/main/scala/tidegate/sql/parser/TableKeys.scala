package tidegate.sql.parser

/**
 * Puts brackets around the keys in `PARTITION BY a, b, DESCRIPTOR(...)`, because Spark takes the
 * argument after the last comma for one more key. Does the same for `ORDER BY`.
 */
private[parser] object TableKeys extends Mend {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    for {
      argument <- call.arguments
      clause <- TableClause.in(tokens, argument.value)
      if clause.items.nonEmpty && !tokens.inBrackets(clause.items)
      edit <- Seq(Before(clause.items.start, Word.Open), After(clause.items.last, Word.Close))
    } yield edit
}
