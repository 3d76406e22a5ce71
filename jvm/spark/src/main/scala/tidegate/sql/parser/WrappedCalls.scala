package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser.LATERAL

/**
 * Removes the word `TABLE` from `FROM TABLE(tumble(...))`, which leaves a relation in brackets. The
 * brackets stay, because a view keeps its text up to the last token.
 */
private[parser] object WrappedCalls extends Mend {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.wrapper.toSeq.flatMap { table =>
      // After LATERAL, Spark accepts a query in brackets, but not a relation.
      val query = Option.when(tokens.is(table - 1, LATERAL))(Before(call.name, Word.From))
      Drop(table) +: query.toSeq
    }
}
