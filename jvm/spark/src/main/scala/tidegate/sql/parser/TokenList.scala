package tidegate.sql.parser

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.antlr.v4.runtime.misc.Interval
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.tidegate.LaterKeywords
import org.apache.spark.sql.tidegate.LaterKeywords.STREAM

/**
 * The tokens of a statement, without comments and white space; the last one is its end.
 *
 * @param isLenient
 *   whether calls without a `DESCRIPTOR`, and calls whose names are misspelt, are ours as well
 */
private[parser] class TokenList(val all: IndexedSeq[Token], val isLenient: Boolean) {

  /** The type of a token; the type of the end if there is no such token. */
  def kind(i: Int): Int = all.lift(i).fold(Token.EOF)(_.getType)

  def is(i: Int, kinds: Int*): Boolean = kinds.contains(kind(i))

  /**
   * Whether a token is the word `STREAM` before a table, or could be if Spark had such a keyword.
   */
  def isStream(i: Int): Boolean =
    is(i, STREAM) || TokenList.isStreamLater && isName(i, "stream")

  /** Whether a token is a name: no keyword. */
  def isName(i: Int): Boolean = is(i, IDENTIFIER, BACKQUOTED_IDENTIFIER)

  /** Whether a token is this name, given in lower case, without quotes around it. */
  def isName(i: Int, text: String): Boolean = is(i, IDENTIFIER) && name(i) == text

  /** A name in lower case, without its back quotes. */
  def name(i: Int): String =
    all.lift(i).fold("")(_.getText.stripPrefix("`").stripSuffix("`").toLowerCase(Locale.ROOT))

  def isWord(i: Int): Boolean = Character.isLetter(all(i).getText.head)

  /** The position where the bracket at `open` is closed, or the end. */
  def closing(open: Int): Int = brackets.getOrElse(open, all.size - 1)

  /**
   * The positions of a range that are not inside brackets; the brackets themselves are included.
   */
  def topLevel(range: Range): Seq[Int] =
    Iterator
      .iterate(range.start)(i => if (is(i, LEFT_PAREN)) closing(i) max (i + 1) else i + 1)
      .takeWhile(_ < range.end)
      .toSeq

  /** Whether one pair of brackets goes round the whole range. */
  def inBrackets(range: Range): Boolean =
    is(range.start, LEFT_PAREN) && closing(range.start) == range.end - 1

  /** Whether the statement may have parameter markers. */
  def mayHaveParameters: Boolean = all.indices.exists(is(_, QUESTION, COLON))

  /** The text of the statement. */
  lazy val text: String = {
    val stream = all.last.getInputStream
    stream.getText(Interval.of(0, stream.size - 1))
  }

  /** The text of a few tokens, as it is written. */
  def text(range: Range): String = text.substring(
    text.offsetByCodePoints(0, all(range.head).getStartIndex),
    text.offsetByCodePoints(0, all(range.last).getStopIndex + 1)
  )

  /** An error with the position of a few tokens. */
  def errorAt(range: Range)(error: => AnalysisException): AnalysisException = {
    val (first, last) = (all(range.head), all(range.last))
    val origin = Origin(
      line = Some(first.getLine),
      startPosition = Some(first.getCharPositionInLine),
      startIndex = Some(first.getStartIndex),
      stopIndex = Some(last.getStopIndex),
      sqlText = Some(text)
    )
    CurrentOrigin.withOrigin(origin)(error)
  }

  private lazy val brackets: Map[Int, Int] =
    all.indices
      .foldLeft((List.empty[Int], Map.empty[Int, Int])) {
        case ((open, closed), i) if is(i, LEFT_PAREN)          => (i :: open, closed)
        case ((last :: open, closed), i) if is(i, RIGHT_PAREN) => (open, closed + (last -> i))
        case (state, _)                                        => state
      }
      ._2
}

private[parser] object TokenList {

  /** Whether only later versions of Spark have the keyword `STREAM`. */
  val isStreamLater: Boolean = LaterKeywords.isMissing(STREAM)
}
