package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{LEFT_PAREN, TABLE}
import org.apache.spark.sql.tidegate.LaterKeywords.{IDENTIFIED, isMissing}
import tidegate.errors.{CallErrors, LaterSparkErrors}
import tidegate.sql.Parameter

/**
 * Refuses `STREAM` in and before a call where Spark's grammar has no place for the word: Spark
 * would take it for the name of a table, and point at the word behind.
 */
private[parser] object LaterStreams extends Rewrite {

  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] = {
    if (isMissing(IDENTIFIED)) refuseBefore(tokens, call)
    if (TokenList.isStreamLater) call.arguments.foreach(refuseIn(tokens, call, _))
    Nil
  }

  /** `STREAM <call>` and `STREAM(<call>)`. */
  private def refuseBefore(tokens: SqlTokens, call: CallSpan): Unit = {
    val word = if (tokens.is(call.name - 1, LEFT_PAREN)) call.name - 2 else call.name - 1
    if (tokens.isStream(word)) {
      if (TokenList.isStreamLater)
        throw tokens.errorAt(word to call.name)(LaterSparkErrors.stream())
      // Later versions of Spark read the statement, and then Tidegate refuses the call.
      throw tokens.errorAt(call.name to tokens.closing(call.name + 1)) {
        CallErrors.streamMisplaced(call.function.name)
      }
    }
  }

  private def refuseIn(tokens: SqlTokens, call: CallSpan, argument: ArgumentSpan): Unit = {
    val table = TableArguments.table(tokens, argument.value)
    val isTable = tokens.is(argument.value.start, TABLE) || argument == call.arguments.head ||
      argument.key.exists(k => Parameter.Data.names.contains(tokens.name(k)))
    // A function of the user may have the name too; but two names in a row are no expression.
    val isStream = table.size > 1 && tokens.isStream(table.start) && (
      if (tokens.is(table.start + 1, LEFT_PAREN)) isTable else tokens.isName(table.start + 1)
    )
    if (isStream) throw tokens.errorAt(table)(LaterSparkErrors.stream())
  }
}
