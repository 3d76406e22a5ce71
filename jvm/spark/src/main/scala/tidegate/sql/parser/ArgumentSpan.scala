package tidegate.sql.parser

/**
 * The tokens of an argument.
 *
 * @param key
 *   the position of its name, if it is named
 */
private[parser] final case class ArgumentSpan(key: Option[Int], value: Range)
