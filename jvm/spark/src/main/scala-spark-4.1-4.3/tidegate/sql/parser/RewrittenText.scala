package tidegate.sql.parser

import org.antlr.v4.runtime.CommonToken
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseParser}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.tidegate.TextPositions

/**
 * The text of a statement after its rewrites.
 *
 * @param places
 *   the position in `original` of each character of `text`, and of its end; in code points, as
 *   Spark counts
 */
private[parser] final class RewrittenText(
    val text: String,
    original: String,
    places: IndexedSeq[Int]
) {

  private lazy val originalLines = new Lines(original)

  /**
   * Gives everything that `body` builds from the tokens of a parser its position in the original
   * text.
   */
  def withPositions[T](parser: SqlBaseParser)(body: => T): T =
    TextPositions.within(text, original, i => places(i min (places.size - 1))) { placeOf =>
      SqlTokens.of(parser).all.collect { case token: CommonToken =>
        val place = placeOf(token.getStartIndex)
        token.setLine(originalLines.line(place))
        token.setCharPositionInLine(originalLines.column(place))
      }
      body
    }

  /** Makes errors that Spark raises while it looks for parameters show the original text. */
  def withErrors[T](body: => T): T =
    try body
    catch {
      case e: ParseException if e.command.isEmpty =>
        throw TextPositions.error(e, original, place(e.start))
    }

  private def place(rewritten: Origin): Origin =
    (for (line <- rewritten.line; column <- rewritten.startPosition) yield {
      val place = places(new Lines(text).character(line, column))
      Origin(Some(originalLines.line(place)), Some(originalLines.column(place)))
    }).getOrElse(rewritten)
}

private[parser] object RewrittenText {

  /** The rewritten text; `None` if there is nothing to rewrite. */
  def of(tokens: SqlTokens): Option[RewrittenText] = {
    val edits = Rewrites.edits(tokens)
    Option.when(edits.nonEmpty)(rewritten(tokens, edits))
  }

  private def rewritten(tokens: SqlTokens, edits: Map[Int, Seq[Edit]]): RewrittenText = {
    val original = tokens.text.codePoints().toArray
    val text = new StringBuilder
    val places = IndexedSeq.newBuilder[Int]
    def insert(word: String, place: Int): Unit = {
      text ++= word
      places ++= word.map(_ => place)
    }
    def keep(range: Range): Unit = range.foreach { i =>
      text ++= Character.toString(original(i))
      places += i
    }
    val end = tokens.all.indices.init.foldLeft(0) { (from, i) =>
      val token = tokens.all(i)
      val (start, stop) = (token.getStartIndex, token.getStopIndex)
      keep(from until start)
      val here = edits.getOrElse(i, Nil)
      here.foreach {
        case Before(_, words @ _*) => words.foreach(w => insert(w.text + " ", start))
        case _: AsName             => insert("`", start)
        case _                     => ()
      }
      if (here.contains(Drop(i))) insert(" " * (stop + 1 - start), start) else keep(start to stop)
      here.foreach {
        case After(_, word) => insert(" " + word.text, stop)
        case _: AsName      => insert("`", stop)
        case _              => ()
      }
      stop + 1
    }
    keep(end until original.length)
    places += original.length
    new RewrittenText(text.toString, tokens.text, places.result())
  }
}

/** The lines of a text. Lines count from 1, columns and characters from 0, in code points. */
private[parser] final class Lines(text: String) {
  private val starts =
    0 +: text.codePoints().toArray.toIndexedSeq.zipWithIndex.collect { case ('\n', i) => i + 1 }

  def character(line: Int, column: Int): Int = starts(line - 1) + column

  def line(character: Int): Int = starts.lastIndexWhere(_ <= character) + 1

  def column(character: Int): Int = character - starts(line(character) - 1)
}
