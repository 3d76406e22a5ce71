package tidegate.sql.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{BufferedTokenStream, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** The tokens of a statement, and our calls among them. */
private[parser] final class SqlTokens(all: IndexedSeq[Token], isLenient: Boolean)
    extends TokenList(all, isLenient) {

  /** Our calls in the statement. */
  lazy val calls: Seq[CallSpan] = CallSpan.in(this)

  /** Whether one of our calls begins at a token. */
  def startsCall(i: Int): Boolean = calls.exists(_.name == i)
}

private[parser] object SqlTokens {

  /** The tokens that a parser is about to read. */
  def of(parser: SqlBaseParser, isLenient: Boolean = false): SqlTokens =
    parser.getTokenStream match {
      case stream: BufferedTokenStream =>
        stream.fill()
        val all = stream.getTokens.asScala
        new SqlTokens(all.filter(_.getChannel == Token.DEFAULT_CHANNEL).toVector, isLenient)
      case other =>
        throw new IllegalStateException(
          s"Spark's parser reads ${other.getClass}, not a list of tokens"
        )
    }
}
