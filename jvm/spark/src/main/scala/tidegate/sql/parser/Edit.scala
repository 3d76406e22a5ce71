package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/** A change at the token with the position `at`. */
private[parser] sealed trait Edit {
  def at: Int
}

/** New words that get the place of the token, so that what begins with it begins with them. */
private[parser] final case class Before(at: Int, words: Word*) extends Edit

/** A new word that gets the place of the token, so that what ends with it ends with the word. */
private[parser] final case class After(at: Int, word: Word) extends Edit

/** Takes the token away; its place goes to the next one. */
private[parser] final case class Drop(at: Int) extends Edit

/** Makes a keyword an ordinary name. */
private[parser] final case class AsName(at: Int) extends Edit

/** A word that Spark's grammar wants. */
private[parser] final case class Word(kind: Int, text: String)

private[parser] object Word {
  val Interval: Word = Word(SqlBaseParser.INTERVAL, "INTERVAL")
  val Table: Word = Word(SqlBaseParser.TABLE, "TABLE")
  val From: Word = Word(SqlBaseParser.FROM, "FROM")
  val Open: Word = Word(SqlBaseParser.LEFT_PAREN, "(")
  val Close: Word = Word(SqlBaseParser.RIGHT_PAREN, ")")
}
