package tidegate.sql.parser

/** The lines of a text. Lines count from 1, columns and characters from 0, in code points. */
private[parser] final class Lines(text: String) {
  private val starts =
    0 +: text.codePoints().toArray.toIndexedSeq.zipWithIndex.collect { case ('\n', i) => i + 1 }

  def character(line: Int, column: Int): Int = starts(line - 1) + column

  def line(character: Int): Int = starts.lastIndexWhere(_ <= character) + 1

  def column(character: Int): Int = character - starts(line(character) - 1)
}
