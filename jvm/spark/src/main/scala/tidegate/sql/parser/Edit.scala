package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** A change at the token with the position `at`. */
private[parser] sealed trait Edit {
  def at: Int
}

/**
 * Inserts words before the token, with its position: a node that began with the token begins with
 * them.
 */
private[parser] final case class Before(at: Int, words: Word*) extends Edit

/**
 * Inserts a word after the token, with its position: a node that ended with the token ends with the
 * word.
 */
private[parser] final case class After(at: Int, word: Word) extends Edit

/** Removes the token; the next token starts at its position. */
private[parser] final case class Drop(at: Int) extends Edit

/** Makes a keyword an ordinary name. */
private[parser] final case class AsName(at: Int) extends Edit

/** A word that Spark's grammar requires. */
private[parser] final case class Word(kind: Int, text: String)

private[parser] object Word {
  val Interval: Word = Word(SqlBaseParser.INTERVAL, "INTERVAL")
  val Table: Word = Word(SqlBaseParser.TABLE, "TABLE")
  val From: Word = Word(SqlBaseParser.FROM, "FROM")
  val Open: Word = Word(SqlBaseParser.LEFT_PAREN, "(")
  val Close: Word = Word(SqlBaseParser.RIGHT_PAREN, ")")
}

/** Turns a spelling of a call that Spark's grammar refuses into one that it accepts. */
private[parser] trait Rewrite {
  def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit]
}
