package tidegate.sql.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CommonToken, CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** The tokens of a statement after its mends; they keep the positions of the original text. */
private[parser] final class MendedTokens(tokens: Seq[Token])
    extends CommonTokenStream(new ListTokenSource(tokens.asJava))

private[parser] object MendedTokens {

  /**
   * Gives a parser the mended tokens. Spark calls again with the same parser when its fast mode
   * fails; then there is nothing left to do.
   */
  def replaceIn(parser: SqlBaseParser): Unit = parser.getTokenStream match {
    case _: MendedTokens => ()
    case _               => parser.setTokenStream(new MendedTokens(mended(SqlTokens.of(parser))))
  }

  private def mended(tokens: SqlTokens): Seq[Token] = {
    val edits = Mend.edits(tokens)
    tokens.all.indices.flatMap { i =>
      val here = edits.getOrElse(i, Nil)
      val place = if (edits.getOrElse(i - 1, Nil).exists(isDrop)) Some(tokens.all(i - 1)) else None
      val token = new CommonToken(tokens.all(i))
      place.foreach { p =>
        token.setLine(p.getLine)
        token.setCharPositionInLine(p.getCharPositionInLine)
        token.setStartIndex(p.getStartIndex)
      }
      val before = here.collect { case Before(_, words @ _*) => words }.flatten
      val after = here.collect { case After(_, word) => word }
      if (here.exists { case _: AsName => true; case _ => false })
        token.setType(SqlBaseParser.IDENTIFIER)
      before.map(at(token, _)) ++ Option.when(!here.exists(isDrop))(token) ++ after.map(
        at(token, _)
      )
    }
  }

  private def isDrop(edit: Edit) = edit match {
    case _: Drop => true
    case _       => false
  }

  private def at(place: CommonToken, word: Word): Token = {
    val token = new CommonToken(place)
    token.setType(word.kind)
    token.setText(word.text)
    token
  }
}
