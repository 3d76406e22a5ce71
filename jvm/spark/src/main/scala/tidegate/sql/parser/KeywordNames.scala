package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/**
 * Makes the keyword in `offset => ...` a name: with `spark.sql.ansi.enforceReservedKeywords` Spark
 * would refuse it.
 */
private[parser] object KeywordNames extends Mend {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.arguments.flatMap(_.key).filter(isKeyword(tokens, _)).map(AsName(_))

  private def isKeyword(tokens: SqlTokens, key: Int) =
    !tokens.is(key, IDENTIFIER, BACKQUOTED_IDENTIFIER) && tokens.isWord(key)
}
