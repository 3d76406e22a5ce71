package tidegate.sql.parser

/**
 * `PARTITION BY a, b, DESCRIPTOR(...)`: puts brackets round the keys, as Spark takes the comma
 * behind them for one more key. `ORDER BY` likewise.
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
