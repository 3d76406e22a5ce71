package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/** `offset => ...`: with `spark.sql.ansi.enforceReservedKeywords` it would be no name. */
private[parser] object KeywordNames extends Mend {
  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.arguments.flatMap(_.key).filter(isKeyword(tokens, _)).map(AsName(_))

  private def isKeyword(tokens: SqlTokens, key: Int) =
    !tokens.is(key, IDENTIFIER, BACKQUOTED_IDENTIFIER) && tokens.isWord(key)
}
