package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser.LATERAL

/**
 * `FROM TABLE(tumble(...))`: without the word it is a relation in brackets. The brackets stay, as a
 * view keeps its text up to the last token.
 */
private[parser] object WrappedCalls extends Mend {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.wrapper.toSeq.flatMap { table =>
      // Behind LATERAL, Spark takes a query in brackets, but no relation.
      val query = Option.when(tokens.is(table - 1, LATERAL))(Before(call.name, Word.From))
      Drop(table) +: query.toSeq
    }
}
