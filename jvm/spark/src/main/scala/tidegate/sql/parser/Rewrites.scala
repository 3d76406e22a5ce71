package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/** All rewrites of the calls of a statement. */
private[parser] object Rewrites {
  private val all =
    Seq(LaterStreams, WrappedCalls, TableArguments, TableKeys, KeywordNames, BareIntervals)

  /** The edits that the calls of a statement need, by the positions of their tokens. */
  def edits(tokens: SqlTokens): Map[Int, Seq[Edit]] =
    (for {
      call <- tokens.calls
      rewrite <- all
      edit <- rewrite.edits(tokens, call)
    } yield edit).groupBy(_.at)
}

/**
 * Removes the word `TABLE` from `FROM TABLE(tumble(...))`, which leaves a relation in brackets. The
 * brackets stay, because a view keeps its text up to the last token.
 */
private[parser] object WrappedCalls extends Rewrite {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.wrapper.toSeq.flatMap { table =>
      // After LATERAL, Spark accepts a query in brackets, but not a relation.
      val query = Option.when(tokens.is(table - 1, LATERAL))(Before(call.name, Word.From))
      Drop(table) +: query.toSeq
    }
}

/**
 * Makes the keyword in `offset => ...` a name: with `spark.sql.ansi.enforceReservedKeywords` Spark
 * would refuse it.
 */
private[parser] object KeywordNames extends Rewrite {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.arguments.flatMap(_.key).filter(isKeyword(tokens, _)).map(AsName(_))

  private def isKeyword(tokens: SqlTokens, key: Int) =
    !tokens.is(key, IDENTIFIER, BACKQUOTED_IDENTIFIER) && tokens.isWord(key)
}

/**
 * Puts brackets around the keys in `PARTITION BY a, b, DESCRIPTOR(...)`, because Spark takes the
 * argument after the last comma for one more key. Does the same for `ORDER BY`.
 */
private[parser] object TableKeys extends Rewrite {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    for {
      argument <- call.arguments
      clause <- TableClause.in(tokens, argument.value)
      if clause.items.nonEmpty && !tokens.inBrackets(clause.items)
      edit <- Seq(Before(clause.items.start, Word.Open), After(clause.items.last, Word.Close))
    } yield edit
}
