package tidegate.sql.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CommonToken, CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** The tokens of a statement after its rewrites; they keep the positions of the original text. */
private[parser] final class RewrittenTokens(tokens: Seq[Token])
    extends CommonTokenStream(new ListTokenSource(tokens.asJava))

private[parser] object RewrittenTokens {

  /**
   * Gives a parser the rewritten tokens. When its fast mode fails, Spark parses again with the same
   * parser, whose tokens are then already rewritten.
   */
  def replaceIn(parser: SqlBaseParser, isLenient: Boolean): Unit = parser.getTokenStream match {
    case _: RewrittenTokens => ()
    case _                  =>
      parser.setTokenStream(new RewrittenTokens(rewritten(SqlTokens.of(parser, isLenient))))
  }

  private def rewritten(tokens: SqlTokens): Seq[Token] = {
    val edits = Rewrites.edits(tokens).withDefaultValue(Nil)
    tokens.all.indices.flatMap { i =>
      val here = edits(i)
      val token = new CommonToken(tokens.all(i))
      if (edits(i - 1).contains(Drop(i - 1))) startAt(tokens.all(i - 1), token)
      if (here.contains(AsName(i))) token.setType(SqlBaseParser.IDENTIFIER)
      val before = here.collect { case Before(_, words @ _*) => words }.flatten
      val after = here.collect { case After(_, word) => word }
      before.map(at(token, _)) ++ Option.when(!here.contains(Drop(i)))(token) ++
        after.map(at(token, _))
    }
  }

  private def startAt(place: Token, token: CommonToken): Unit = {
    token.setLine(place.getLine)
    token.setCharPositionInLine(place.getCharPositionInLine)
    token.setStartIndex(place.getStartIndex)
  }

  private def at(place: CommonToken, word: Word): Token = {
    val token = new CommonToken(place)
    token.setType(word.kind)
    token.setText(word.text)
    token
  }
}
