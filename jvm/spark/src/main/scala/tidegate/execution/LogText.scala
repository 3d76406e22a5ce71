package tidegate.execution

/** Text of others, made fit for a line of the log. */
private[execution] object LogText {
  private val Ellipsis = "..."

  /**
   * At most `max` characters of a text, and a mark if there are more. A character that takes two
   * chars in Java is never cut in two.
   */
  def cut(text: CharSequence, max: Int): String =
    if (text.length <= max) text.toString
    else {
      val splits = max > 0 && Character.isHighSurrogate(text.charAt(max - 1)) &&
        Character.isLowSurrogate(text.charAt(max))
      s"${text.subSequence(0, if (splits) max - 1 else max)}$Ellipsis"
    }

  /** The text in one line: what a row contains must not look like a line of the log. */
  def inOneLine(text: String): String =
    if (!text.exists(breaks)) text
    else
      text.flatMap {
        case '\n'           => "\\n"
        case '\r'           => "\\r"
        case '\t'           => "\\t"
        case c if breaks(c) => f"\\u${c.toInt}%04x"
        case c              => c.toString
      }

  /** Whether a character is a control, or ends a line or a paragraph. */
  private def breaks(c: Char): Boolean =
    Character.isISOControl(c) || c == '\u2028' || c == '\u2029'
}
